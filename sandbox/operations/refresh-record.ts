/**
 * The record of one refresh and the final answer of its request. Members as observed (domain.md 6.3) or in camel case;
 * the interface shows none ("Gaps in resource fields"). Pure: the final is the same bytes whenever it is asked for.
 */
import { formatCnj } from '../../src/contract/index.js';
import { envelope, jsonAnswer, refuse, type Answer, type Paid } from '../answer.js';
import { deriveInteger } from '../derive.js';
import type { Dialect } from '../settings.js';
import type { Refresh } from '../state/refreshes.js';

export interface RecordFacts {
  readonly requestId: string;
  readonly cnj: string;
  readonly status: string;
  readonly createdAtMs: number;
  readonly finishedAtMs: number | null;
  readonly callback: boolean;
}

export function factsOf(refresh: Refresh, finished: boolean): RecordFacts {
  return {
    requestId: refresh.requestId,
    cnj: refresh.cnj,
    status: finished ? refresh.ending : 'PENDENTE',
    createdAtMs: refresh.createdAtMs,
    finishedAtMs: finished ? refresh.finishesAtMs : null,
    callback: refresh.flags.callback,
  };
}

export function buildRecord(facts: RecordFacts, dialect: Dialect): Record<string, unknown> {
  const id = dialect.statusIdIs === 'request' ? facts.requestId : deriveInteger(facts.requestId, 1_000_000_000);
  const created = new Date(facts.createdAtMs).toISOString();
  const finished = facts.finishedAtMs === null ? null : new Date(facts.finishedAtMs).toISOString();
  const cnj = formatCnj(facts.cnj);
  return dialect.records === 'as-observed'
    ? {
        id,
        status: facts.status,
        criado_em: created,
        numero_cnj: cnj,
        concluido_em: finished,
        enviar_callback: facts.callback,
      }
    : {
        id,
        status: facts.status,
        criadoEm: created,
        numeroCnj: cnj,
        concluidoEm: finished,
        enviarCallback: facts.callback,
      };
}

/** What `GET /v1/requests/{id}` reproduces once the work is done; undefined for work that never ends. */
export function buildFinalAnswer(refresh: Refresh, dialect: Dialect, paid: Paid): Answer | undefined {
  if (refresh.finishesAtMs === null) return undefined;
  if (refresh.finalStatus === 500) return refuse(500, 'INTERNAL_ERROR', 'The refresh failed at the source.');
  const data = { requestId: refresh.requestId, ...buildRecord(factsOf(refresh, true), dialect) };
  return jsonAnswer(200, envelope(data, paid, refresh.finishesAtMs));
}
