/**
 * Events and their four body formats. The interface shows the envelope and, of `data`, only `numeroCnj` and `tribunal`.
 * It does not show RAW; here RAW is the envelope with the upstream record as `data`. `flat` is the observed form. Pure,
 * except for the random id of a completion event.
 */
import { randomUUID } from 'node:crypto';
import { formatCnj, type OperationId } from '../../src/contract/index.js';
import { courtOf } from '../cases/court.js';
import type { WebhookConfig } from '../settings.js';
import type { Work } from '../state/works.js';

export interface SandboxEvent {
  readonly id: string;
  readonly event: string;
  readonly createdAtMs: number;
  readonly normalized: Readonly<Record<string, unknown>>;
  readonly raw: Readonly<Record<string, unknown>>;
}

export const COMPLETION_EVENT = 'atualizacao_processo_concluida';
const LAWYER_EVENT = 'resultado_busca_oab_async';
const SOURCE = 'Judicial Records Data Service (sandbox)';

/** The interface does not show which operation emits which name; these are the likeliest from its two "Event names" lists. */
const EVENT_OF: Partial<Record<OperationId, string>> = {
  requestRefresh: COMPLETION_EVENT,
  listLawyerCases: LAWYER_EVENT,
};

export function completionEvent(work: Work): SandboxEvent {
  const createdAtMs = work.finishesAtMs ?? work.createdAtMs;
  const { requestId, ending: status, cnj } = work;
  const numero = cnj === '' ? {} : { numeroCnj: formatCnj(cnj), tribunal: courtOf(cnj) };
  return {
    id: randomUUID(),
    event: EVENT_OF[work.operation] ?? 'resultado_processo_async',
    createdAtMs,
    normalized: { ...numero, requestId, status },
    raw: {
      atualizacao: {
        id: requestId,
        status,
        criado_em: new Date(work.createdAtMs).toISOString(),
        ...(cnj === '' ? {} : { numero_cnj: formatCnj(cnj) }),
        concluido_em: new Date(createdAtMs).toISOString(),
        enviar_callback: work.flags.callback,
      },
    },
  };
}

/** The coverage of a lawyer's list is complete. */
export function coverageEvent(oab: string, atMs: number): SandboxEvent {
  const [estado = '', numero = ''] = oab.split(':');
  const content = { oab: { estado, numero }, cobertura: { parcial: false, completa: true } };
  return {
    id: randomUUID(),
    event: LAWYER_EVENT,
    createdAtMs: atMs,
    normalized: content,
    raw: { busca: content, oab: content.oab },
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
