/**
 * A refresh and its record. POST: two calls are two refreshes and two charges; the service does not dedupe. GET
 * status-atualizacao: the latest refresh; free (the contract presumes it, here it is). Cases refreshed yesterday say
 * SUCESSO before any refresh of ours; with `statusLagMs` they still say it for a while afterwards. Members as observed,
 * in camel case, or both; the interface shows none ("Gaps in resource fields").
 */
import { formatCnj } from '../../src/contract/index.js';
import { deriveInteger, deriveUuid } from '../derive.js';
import type { Dialect } from '../settings.js';
import type { Work } from '../state/works.js';
import { spell } from './spelling.js';
import type { View } from './types.js';
import { answered, beginning, ofCase, refused } from './verdicts.js';

const DAY_MS = 86_400_000;
const YESTERDAYS_REFRESH_TOOK_MS = 42_000;

export const requestRefresh = ofCase((about, view) =>
  view.call.flags.documents && !about.traits.courtHasDocuments
    ? refused(422, 'PUBLIC_DOCUMENTS_NOT_SUPPORTED', 'The court of this case has no public documents.')
    : beginning('requestRefresh', about, view),
);

export const getRefreshStatus = ofCase(({ cnj }, view) =>
  answered(buildStatus(cnj, knownRefreshes(cnj, view), view), view),
);

/** The refreshes that the status read shows now, oldest first. */
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

interface RecordFacts {
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
