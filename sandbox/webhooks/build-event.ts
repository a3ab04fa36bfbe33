/**
 * Events and their four body formats. The interface shows the envelope and, of `data`, only `numeroCnj` and `tribunal`;
 * it does not show what RAW looks like: here the envelope with the upstream record as `data`. `flat` is the observed
 * form (domain.md 7.1). Pure but for the random id of a completion event.
 */
import { randomUUID } from 'node:crypto';
import { formatCnj } from '../../src/contract/index.js';
import { courtOf } from '../cases/court.js';
import type { WebhookConfig } from '../settings.js';
import type { Refresh } from '../state/refreshes.js';

export interface SandboxEvent {
  readonly id: string;
  readonly event: string;
  readonly createdAtMs: number;
  readonly normalized: Readonly<Record<string, unknown>>;
  readonly raw: Readonly<Record<string, unknown>>;
}

export const COMPLETION_EVENT = 'atualizacao_processo_concluida';
const SOURCE = 'Judicial Records Data Service (sandbox)';

export function completionEvent(refresh: Refresh): SandboxEvent {
  const createdAtMs = refresh.finishesAtMs ?? refresh.createdAtMs;
  return {
    id: randomUUID(),
    event: COMPLETION_EVENT,
    createdAtMs,
    normalized: {
      numeroCnj: formatCnj(refresh.cnj),
      tribunal: courtOf(refresh.cnj),
      requestId: refresh.requestId,
      status: refresh.ending,
    },
    raw: {
      atualizacao: {
        id: refresh.requestId,
        status: refresh.ending,
        criado_em: new Date(refresh.createdAtMs).toISOString(),
        numero_cnj: formatCnj(refresh.cnj),
        concluido_em: new Date(createdAtMs).toISOString(),
        enviar_callback: refresh.flags.callback,
      },
    },
  };
}

export function buildEventBody(event: SandboxEvent, format: WebhookConfig['format']): Buffer {
  const head = {
    id: event.id,
    event: event.event,
    source: SOURCE,
    created_at: new Date(event.createdAtMs).toISOString(),
  };
  switch (format) {
    case 'NORMALIZED':
      return bytes({ ...head, data: event.normalized });
    case 'RAW':
      return bytes({ ...head, data: event.raw });
    case 'BOTH':
      return bytes({ ...head, data: event.normalized, raw: event.raw });
    case 'flat':
      return bytes({ uuid: event.id, event: event.event, ...event.raw });
  }
}

function bytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
