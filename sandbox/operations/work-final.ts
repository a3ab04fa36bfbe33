/**
 * The final answer of work. Refreshes and summaries build it at every poll (the same bytes each time); a pending query
 * stores its own answer with the work. Pure.
 */
import { formatCnj } from '../../src/contract/index.js';
import { envelope, jsonAnswer, refuse, type Answer, type Paid } from '../answer.js';
import type { Dialect } from '../settings.js';
import type { Work } from '../state/works.js';
import { buildRecord, factsOf } from './refresh.js';
import { spell } from './spelling.js';

/** True for everything but refreshes and summaries. */
export function isQuery(work: Pick<Work, 'operation'>): boolean {
  return work.operation !== 'requestRefresh' && work.operation !== 'requestSummary';
}

/** Undefined for work that never ends. */
export function buildFinalAnswer(work: Work, dialect: Dialect, paid: Paid): Answer | undefined {
  if (work.finishesAtMs === null) return undefined;
  if (work.finalStatus === 500) return refuse(500, 'INTERNAL_ERROR', 'The work failed at the source.');
  const data = work.operation === 'requestSummary' ? summaryFinal(work, dialect) : refreshFinal(work, dialect);
  return jsonAnswer(200, envelope(data, paid, work.finishesAtMs));
}

function refreshFinal(work: Work, dialect: Dialect): unknown {
  return { requestId: work.requestId, ...buildRecord(factsOf(work, true), dialect) };
}

function summaryFinal(work: Work, dialect: Dialect): unknown {
  const { requestId, cnj, ending, createdAtMs, finishesAtMs } = work;
  const times = {
    criado_em: new Date(createdAtMs).toISOString(),
    concluido_em: new Date(finishesAtMs ?? 0).toISOString(),
  };
  return spell({ requestId, numeroCnj: formatCnj(cnj), status: ending, ...times }, dialect);
}
