/**
 * The load of the bridge's bench: signed deliveries of about 2 KB, repeats of earlier ones, and forgeries. They are
 * prepared as the bytes of whole HTTP/1.1 requests, so that the measuring side costs little compared with the measured
 * sides.
 */
import { createHmac } from 'node:crypto';
import { caseNumberOf } from '../soak/identifiers.js';
import type { Random } from '../soak/random.js';

export const BENCH_SECRET = 'secret-of-the-bench-0123456789abcdef';

export type DeliveryKind = 'new' | 'duplicate' | 'forged';

export interface Request {
  readonly kind: DeliveryKind;
  readonly bytes: Buffer;
}

/** Shares of all deliveries; the rest is new. */
const MIX = { duplicate: 0.15, forged: 0.05 } as const;

const KEPT = 512;
const FIRST_CASE = 1_000_000;
const PADDING = 'conteúdo de um andamento, para o tamanho. '.repeat(40);

/** Ids of a source begin with `prefix`, so that no two sources share an id. */
export function createDeliveries(options: { readonly prefix: string; readonly random: Random }): () => Request {
  const { prefix, random } = options;
  const recent: Buffer[] = [];
  let count = 0;
  return () => {
    const dice = random.next();
    if (dice < MIX.duplicate && recent.length > 0) {
      const bytes = recent[random.integer(recent.length)];
      if (bytes !== undefined) return { kind: 'duplicate', bytes };
    }
    count += 1;
    const body = buildBody(`${prefix}-${count}`, buildCnj(random.integer(900_000)));
    if (dice >= 1 - MIX.forged) return { kind: 'forged', bytes: buildRequest(body, 'another-secret-0123456789') };
    const bytes = buildRequest(body, BENCH_SECRET);
    recent[count % KEPT] = bytes;
    return { kind: 'new', bytes };
  };
}

/** The valid case number at this index. */
export function buildCnj(place: number): string {
  return caseNumberOf(FIRST_CASE + place);
}

export function buildBody(id: string, cnj: string): Buffer {
  return Buffer.from(
    JSON.stringify({
      id,
      event: 'atualizacao_processo_concluida',
      source: 'service',
      created_at: '2026-03-10T15:00:00.000Z',
      data: { numeroCnj: cnj, conteudo: PADDING },
    }),
  );
}

export function buildRequest(body: Buffer, secret: string): Buffer {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const head = [
    'POST /webhooks HTTP/1.1',
    'Host: bench',
    'Content-Type: application/json',
    'X-Service-Event: atualizacao_processo_concluida',
    'X-Service-Delivery-Id: 0f9d3f4e-2f7a-4b0e-8a53-0123456789ab',
    'X-Service-Timestamp: 1773154800',
    `X-Service-Signature: sha256=${signature}`,
    `Content-Length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
}
