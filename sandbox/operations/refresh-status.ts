/**
 * GET status-atualizacao: the latest refresh of the case. Free (presumed by the contract, true here). Cases refreshed
 * yesterday say SUCESSO before any refresh of ours; with `statusLagMs` they go on saying it for a while after.
 */
import { formatCnj } from '../../src/contract/index.js';
import { envelope, jsonAnswer, refuse } from '../answer.js';
import { traitsOf } from '../cases/traits.js';
import { deriveBytes } from '../derive.js';
import { buildRecord, factsOf, type RecordFacts } from './refresh-record.js';
import type { OperationHandler, View } from './types.js';

const DAY_MS = 86_400_000;
const YESTERDAYS_REFRESH_TOOK_MS = 42_000;

export const getRefreshStatus: OperationHandler = (call, view) => {
  const cnj = call.params['cnj'] ?? '';
  if (!traitsOf(view.settings.seed, cnj).exists) {
    return { kind: 'refused', answer: refuse(404, 'CASE_NOT_FOUND', 'The case is not known.') };
  }
  const known = knownRefreshes(cnj, view);
  return {
    kind: 'free',
    answer: (paid) => jsonAnswer(200, envelope(buildStatus(cnj, known, view), paid, view.nowMs)),
  };
};

/** Oldest first, as the status read sees them now. */
function knownRefreshes(cnj: string, view: View): readonly RecordFacts[] {
  const { dialect, seed } = view.settings;
  const own = view
    .refreshesOf(cnj)
    .filter(
      (refresh) => dialect.statusLagMs === 0 || view.nowMs >= (refresh.finishesAtMs ?? Infinity) + dialect.statusLagMs,
    )
    .map((refresh) => factsOf(refresh, view.isFinished(refresh)));
  return traitsOf(seed, cnj).refreshedYesterday ? [yesterdaysRefresh(cnj, view), ...own] : own;
}

function buildStatus(cnj: string, known: readonly RecordFacts[], view: View): unknown {
  const latest = known.at(-1);
  const checkedAtMs = known.flatMap((facts) => facts.finishedAtMs ?? []).at(-1) ?? null;
  const checkedAt = checkedAtMs === null ? null : new Date(checkedAtMs).toISOString();
  const record = latest === undefined ? null : buildRecord(latest, view.settings.dialect);
  const numero = formatCnj(cnj);
  return view.settings.dialect.records === 'as-observed'
    ? { numero_cnj: numero, data_ultima_verificacao: checkedAt, ultima_verificacao: record }
    : {
        numeroCnj: numero,
        status: latest?.status ?? null,
        dataUltimaVerificacao: checkedAt,
        ultimaVerificacao: record,
      };
}

function yesterdaysRefresh(cnj: string, view: View): RecordFacts {
  const hex = deriveBytes(view.settings.seed, 'yesterday', cnj).toString('hex');
  const createdAtMs = view.startedAtMs - DAY_MS;
  return {
    requestId: [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `8${hex.slice(17, 20)}`,
      hex.slice(20, 32),
    ].join('-'),
    cnj,
    status: 'SUCESSO',
    createdAtMs,
    finishedAtMs: createdAtMs + YESTERDAYS_REFRESH_TOOK_MS,
    callback: false,
  };
}
