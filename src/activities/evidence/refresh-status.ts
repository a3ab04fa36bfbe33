/** Evidence of a refresh: the status record of the case, and the events about it that have arrived. */
import { isJsonObject, readInstantMs, readRefreshStatus, type RefreshStatus } from '../../contract/index.js';
import { cnjKey } from '../../inbox/index.js';
import type { ActivityDeps } from '../deps.js';
import { readFree } from '../free/free-read.js';
import { parseStored } from '../charged/stored-outcome.js';
import { decideRefreshEvidence, type RefreshFacts } from './decide-refresh-evidence.js';
import { nothing, type Finding, type UndecidedCall } from './types.js';

const TOTAL_MS = 20_000;
const MOST_EVENTS = 20;
const UNREAD = { barred: 'it has charged before', throttled: 'the service asked the account to wait' } as const;

export async function findRefreshEvidence(
  deps: ActivityDeps,
  { account, intent, subject }: UndecidedCall,
): Promise<Finding> {
  // Adopted before, and unknown again: what the status tells led nowhere, so it would only go round.
  if (intent.evidence?.['adopted'] !== undefined) return nothing('the refresh status (it has led nowhere before)');
  const cnj = String(subject.params['cnj'] ?? '');
  const read = await readFree(deps, {
    account,
    operation: 'getRefreshStatus',
    params: { cnj },
    totalMs: TOTAL_MS,
    reader: intent,
  });
  // After the reading: whoever asked for a refresh that it tells of has a row by now.
  const others = (await deps.ledger.about(subject)).filter(
    (other) => other.intentId !== intent.intentId && other.joined === null,
  );
  const facts: RefreshFacts = { intent, skewMs: read.kind === 'read' ? read.skewMs : null, others };
  const status =
    read.kind !== 'read'
      ? nothing(`the refresh status (not read: ${UNREAD[read.kind]})`)
      : read.judgement.outcome === 'DONE'
        ? findingOf(readRefreshStatus(read.judgement.body, deps.gaps), facts, 'the refresh status')
        : nothing('the refresh status (no answer)');
  const told = read.kind === 'read' && read.unexpected !== undefined ? { unexpected: read.unexpected } : {};
  if (status.found !== 'nothing') return { ...status, ...told };
  const event = await fromEvents(deps, cnj, facts);
  return { ...(event ?? nothing(`${status.looked}; the events (none proves it)`)), ...told };
}

function findingOf(status: RefreshStatus, facts: RefreshFacts, what: string): Finding {
  const evidence = decideRefreshEvidence(status, facts);
  if (!evidence.ours) return nothing(`${what} (${evidence.because})`);
  return {
    found: 'sent',
    looked: `${what} (${evidence.proof})`,
    settlement: {
      state: 'pending',
      ...(status.requestId === undefined ? {} : { requestId: status.requestId }),
      evidence: { adopted: evidence.proof, from: what, serviceTimeMs: status.timeMs ?? null, by: 'tramita (evidence)' },
    },
  };
}

/** The webhook may know more than the status, and it was here before anybody looked. */
async function fromEvents(deps: ActivityDeps, cnj: string, facts: RefreshFacts): Promise<Finding | undefined> {
  for (const { body, event } of await deps.eventsFor([cnjKey(cnj)], facts.intent.openedAtMs, MOST_EVENTS)) {
    const finding = findingOf(readCompletion(event, parseStored(body), deps.gaps), facts, `the event ${event}`);
    if (finding.found !== 'nothing') return finding;
  }
  return undefined;
}

/** What tells of the end of a refresh, dated by the event itself where its record has no time. Other news proves nothing. */
export function readCompletion(
  event: string,
  body: unknown,
  gaps: Parameters<typeof readRefreshStatus>[1],
): RefreshStatus {
  if (!/atualizacao.*conclu/i.test(event)) return { state: 'running', recognised: false };
  const status = readRefreshStatus(body, gaps);
  const createdAtMs = isJsonObject(body) ? readInstantMs(body['created_at']) : undefined;
  return { ...status, ...(status.timeMs === undefined && createdAtMs !== undefined ? { timeMs: createdAtMs } : {}) };
}
