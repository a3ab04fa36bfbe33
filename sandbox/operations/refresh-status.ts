/**
 * GET status-atualizacao: the latest refresh of the case. Free (presumed by the contract, true here). Cases refreshed
 * yesterday say SUCESSO before any refresh of ours; with `statusLagMs` they go on saying it for a while after.
 */
import { formatCnj } from '../../src/contract/index.js';
import { deriveUuid } from '../derive.js';
import { spell } from './spelling.js';
import { buildRecord, factsOf, type RecordFacts } from './refresh-record.js';
import type { View } from './types.js';
import { answered, ofCase } from './verdicts.js';

const DAY_MS = 86_400_000;
const YESTERDAYS_REFRESH_TOOK_MS = 42_000;

export const getRefreshStatus = ofCase(({ cnj }, call, view) =>
  answered(buildStatus(cnj, knownRefreshes(cnj, view), view), call, view),
);

/** Oldest first, as the status read sees them now. */
function knownRefreshes(cnj: string, view: View): readonly RecordFacts[] {
  const { dialect } = view.settings;
  const own = view
    .worksOf(cnj, 'requestRefresh')
    .filter(
      (refresh) => dialect.statusLagMs === 0 || view.nowMs >= (refresh.finishesAtMs ?? Infinity) + dialect.statusLagMs,
    )
    .map((refresh) => factsOf(refresh, view.isFinished(refresh)));
  return view.traits(cnj).refreshedYesterday ? [yesterdaysRefresh(cnj, view), ...own] : own;
}

function buildStatus(cnj: string, known: readonly RecordFacts[], view: View): unknown {
  const latest = known.at(-1);
  const checkedAtMs = known.flatMap((facts) => facts.finishedAtMs ?? []).at(-1) ?? null;
  const checkedAt = checkedAtMs === null ? null : new Date(checkedAtMs).toISOString();
  const record = latest === undefined ? null : buildRecord(latest, view.settings.dialect);
  const numero = formatCnj(cnj);
  const observed = { numero_cnj: numero, data_ultima_verificacao: checkedAt };
  const status = view.settings.dialect.records === 'as-observed' ? {} : { status: latest?.status ?? null };
  const members = spell({ ...observed, ...status }, view.settings.dialect) as Record<string, unknown>;
  const place = view.settings.dialect.records === 'as-spec' ? 'ultimaVerificacao' : 'ultima_verificacao';
  return { ...members, [place]: record };
}

function yesterdaysRefresh(cnj: string, view: View): RecordFacts {
  const createdAtMs = view.startedAtMs - DAY_MS;
  return {
    requestId: deriveUuid(view.settings.seed, 'yesterday', cnj),
    cnj,
    status: 'SUCESSO',
    createdAtMs,
    finishedAtMs: createdAtMs + YESTERDAYS_REFRESH_TOOK_MS,
    callback: false,
  };
}
