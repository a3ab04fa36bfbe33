/**
 * The record of one refresh. Members as observed, in camel case, or both; the interface shows none ("Gaps
 * in resource fields"). Pure.
 */
import { formatCnj } from '../../src/contract/index.js';
import { deriveInteger } from '../derive.js';
import type { Dialect } from '../settings.js';
import type { Work } from '../state/works.js';
import { spell } from './spelling.js';

export interface RecordFacts {
  readonly requestId: string;
  readonly cnj: string;
  readonly status: string;
  readonly createdAtMs: number;
  readonly finishedAtMs: number | null;
  readonly callback: boolean;
}

export function factsOf(refresh: Work, finished: boolean): RecordFacts {
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
  const record = {
    id,
    status: facts.status,
    criado_em: new Date(facts.createdAtMs).toISOString(),
    numero_cnj: formatCnj(facts.cnj),
    concluido_em: facts.finishedAtMs === null ? null : new Date(facts.finishedAtMs).toISOString(),
    enviar_callback: facts.callback,
  };
  return spell(record, dialect) as Record<string, unknown>;
}
