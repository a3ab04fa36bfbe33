/**
 * A service with the lawyer's list only, played from scripts: a collection that grows, changes its order and its version,
 * repeats cases and loops, at exactly the request that its script names. Written from the interface ("Cases of a lawyer"). It
 * charges page 1 and counts the charges. For proofs and benches of the import, where the sandbox's own lists are too regular or
 * too short.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { sendJson, serve } from './loopback.js';

interface Phase {
  /** `cobertura.atualizadoEm`. */
  readonly version: string;
  readonly partial: boolean;
  /** Case numbers in the order of the list; a number may appear twice. A text that is no number becomes an item without one. */
  readonly cases: readonly string[];
  /** The phase ends after this many requests of the collection; the last phase never ends. */
  readonly requests: number;
}

export interface Collection {
  readonly phases: readonly Phase[];
  readonly pageSize: number;
  /** At these requests (the first is 1) the next link leads back to the same page, or to page 1 or 2. */
  readonly loops: ReadonlyMap<number, Loop>;
}

export type Loop = 'self' | 'first' | 'second';

export interface LawyerService {
  readonly url: string;
  /** Purchases of page 1 by `UF:number`. */
  readonly purchases: ReadonlyMap<string, number>;
  /** Requests of any page. */
  readonly requests: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

const PRICE = 0.5;
const PATH = '/v1/advogados/processos';

export async function startLawyerService(
  collections: (oab: string) => Collection | undefined,
  { latencyMs = 0 }: { readonly latencyMs?: number } = {},
): Promise<LawyerService> {
  const purchases = new Map<string, number>();
  const requests = new Map<string, number>();
  let base = '';
  const reply = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '', base);
    if (url.pathname === '/v1/conta/saldo') {
      sendJson(response, 200, { data: { creditos: 1_000 }, meta: meta(0) });
      return;
    }
    const oab = `${url.searchParams.get('oab_estado') ?? ''}:${url.searchParams.get('oab_numero') ?? ''}`;
    const collection = url.pathname === PATH ? collections(oab) : undefined;
    if (collection === undefined) {
      sendJson(response, 404, { error: { code: 'NOT_FOUND', message: 'unknown' } });
      return;
    }
    const count = (requests.get(oab) ?? 0) + 1;
    requests.set(oab, count);
    const page = Number(url.searchParams.get('page') ?? 1);
    if (page === 1) purchases.set(oab, (purchases.get(oab) ?? 0) + 1);
    sendJson(response, 200, {
      data: dataOf(collection, { url, oab, page, count }),
      meta: meta(page === 1 ? PRICE : 0),
    });
  };

  const { url, close } = await serve((request, response) => {
    const answer = (): void => reply(request, response);
    if (latencyMs > 0) setTimeout(answer, latencyMs);
    else answer();
  });
  base = url;
  return { url, purchases, requests, close };
}

/** The phase in which the n-th request falls. Pure. */
function phaseAt(phases: readonly Phase[], count: number): Phase {
  let left = count;
  for (const phase of phases.slice(0, -1)) {
    if (left <= phase.requests) return phase;
    left -= phase.requests;
  }
  const last = phases.at(-1);
  if (last === undefined) throw new Error('a collection has at least one phase');
  return last;
}

function dataOf(
  { phases, pageSize, loops }: Collection,
  { url, oab, page, count }: { readonly url: URL; readonly oab: string; readonly page: number; readonly count: number },
) {
  const { version, partial, cases } = phaseAt(phases, count);
  const [estado, numero] = oab.split(':');
  const size = Number(url.searchParams.get('limit') ?? pageSize);
  const items = cases.slice((page - 1) * size, page * size).map(lawyerItem);
  const loop = loops.get(count);
  const last = page * size >= cases.length && loop === undefined;
  const next = new URL(url);
  next.searchParams.set('page', String(loop === undefined ? page + 1 : pageOf(loop, page)));
  return {
    oab: { estado, numero },
    items,
    processos: items,
    totalDisponivel: cases.length,
    cobertura: { parcial: partial, completa: !partial, atualizadoEm: version },
    links: last ? {} : { next: { href: next.href } },
  };
}

function pageOf(loop: Loop, page: number): number {
  return loop === 'self' ? page : loop === 'first' ? 1 : 2;
}

/** A case of a lawyer's list; an item whose name is no number gets no case number. */
export function lawyerItem(name: string): Readonly<Record<string, string | number | null>> {
  const numeroCnj = /^\d/.test(name) ? name : null;
  const poloAtivo = numeroCnj === null ? name : 'Autora FICTÍCIA';
  return {
    numeroCnj,
    poloAtivo,
    poloPassivo: 'Ré FICTÍCIA S.A.',
    anoInicio: 2026,
    classe: 'Procedimento Comum Cível',
    tribunal: 'TJSP',
    orgaoJulgador: '1ª Vara fictícia',
    dataUltimaPublicacao: '2026-10-01',
    classificacao: 'RECENTE',
    statusProcessual: null,
  };
}

function meta(creditsCharged: number) {
  return { creditsCharged, creditsRemaining: 1_000, requestId: randomUUID(), searchLogId: randomUUID() };
}
