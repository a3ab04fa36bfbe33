/**
 * Evidence of a refresh: the status record of the case, then its request, where one is known or an event has named one. An event
 * alone decides nothing (docs/decisions/0026).
 */
import { readRefreshStatus, type RefreshStatus, present } from '../../contract/index.js';
import { readFree } from '../../http/index.js';
import { askRequest, requestsOf, type RequestAnswer } from '../polling/named-requests.js';
import type { Intent } from '../../ledger/index.js';
import { decideRefreshEvidence, type RefreshFacts } from './decide-refresh-evidence.js';
import { nothing, type EvidenceDeps, type Finding, type UndecidedCall } from './types.js';

/** The status, three requests and the balance fit into one attempt of a free activity (60 s). */
const TOTAL_MS = 15_000;
const REQUEST_MS = 4_000;
/** Times of records that are kept as not read as they were meant, the newest. */
const MOST_AHEAD = 20;
const UNREAD = { barred: 'it has charged before', throttled: 'the service asked the account to wait' } as const;

type Facts = RefreshFacts & Pick<UndecidedCall, 'intent'>;

export async function findRefreshEvidence(deps: EvidenceDeps, call: UndecidedCall): Promise<Finding> {
  const { account, intent, subject } = call;
  // Adopted before, and unknown again: what the status says led nowhere, so it would only go round.
  if (intent.evidence?.['adopted'] !== undefined) return nothing('the refresh status (it has led nowhere before)');
  const read = await readFree(deps, {
    account,
    operation: 'getRefreshStatus',
    params: { cnj: String(subject.params['cnj'] ?? '') },
    totalMs: TOTAL_MS,
    reader: intent,
  });
  const charge = present({ unexpected: read.kind === 'read' ? read.unexpected : undefined });
  const facts = await factsOf(deps, call, read.kind === 'read' ? read.skewMs : null);
  const status =
    read.kind !== 'read'
      ? nothing(`the refresh status (not read: ${UNREAD[read.kind]})`)
      : read.judgement.outcome === 'DONE'
        ? await findingOf(deps, readRefreshStatus(read.judgement.body, deps.gaps), {
            facts,
            what: 'the refresh status',
          })
        : nothing('the refresh status (no answer)');
  if (status.found !== 'nothing' || read.kind === 'throttled') return { ...status, ...charge };
  const byRequest = await findByRequest(deps, call);
  return { ...byRequest, looked: `${status.looked}; ${byRequest.looked}`, ...charge };
}

async function factsOf(deps: EvidenceDeps, call: UndecidedCall, skewMs: number | null): Promise<Facts> {
  const { intent } = call;
  const nowMs = deps.clock.nowMs();
  return { intent, nowMs, seenAhead: seenAheadIn(intent), skewMs, others: await othersAbout(deps, call) };
}

/** After the reading: every refresh of ours that it may show has a row by now. */
async function othersAbout(deps: EvidenceDeps, { intent, subject }: UndecidedCall): Promise<RefreshFacts['others']> {
  const rows = await deps.ledger.about(subject);
  return rows.filter((other) => other.intentId !== intent.intentId && other.joined === null);
}

async function findByRequest(deps: EvidenceDeps, call: UndecidedCall): Promise<Finding> {
  const { account, intent, subject } = call;
  const requestIds = await requestsOf(deps, intent, String(subject.params['cnj'] ?? ''));
  if (requestIds.length === 0) return nothing('its request (none is known, and no event names one)');
  const looked: string[] = [];
  for (const requestId of requestIds) {
    const answer = await askRequest(deps, { account, requestId, totalMs: REQUEST_MS });
    const finding = await findingOfRequest(deps, answer, await factsOf(deps, call, answer.skewMs));
    if (finding.found !== 'nothing') return finding;
    looked.push(finding.looked);
  }
  return nothing(looked.join('; '));
}

async function findingOfRequest(
  deps: EvidenceDeps,
  { requestId, status }: RequestAnswer,
  facts: Facts,
): Promise<Finding> {
  const what = facts.intent.requestId === requestId ? 'its request' : `request ${requestId}, which an event names`;
  return status === undefined ? nothing(`${what} (no end)`) : findingOf(deps, status, { facts, what });
}

async function findingOf(
  deps: EvidenceDeps,
  status: RefreshStatus,
  { facts, what }: { readonly facts: Facts; readonly what: string },
): Promise<Finding> {
  const evidence = decideRefreshEvidence(status, facts);
  if (!evidence.ours) {
    if (evidence.aheadMs !== undefined) await keepAhead(deps, facts.intent, evidence.aheadMs);
    return nothing(`${what} (${evidence.because})`);
  }
  return {
    found: 'sent',
    looked: `${what} (${evidence.proof})`,
    settlement: {
      state: 'pending',
      ...present({ requestId: status.requestId }),
      evidence: { adopted: evidence.proof, from: what, serviceTimeMs: status.timeMs ?? null, by: 'tramita (evidence)' },
    },
  };
}

/** Some hours later it would not be ahead any more, and look like the end of this refresh. */
async function keepAhead(deps: EvidenceDeps, intent: Intent, timeMs: number): Promise<void> {
  const kept = seenAheadIn(intent);
  if (intent.state !== 'unknown' || kept.includes(timeMs)) return;
  await deps.ledger.settle(intent.intentId, {
    state: 'unknown',
    evidence: { ahead: [...kept, timeMs].slice(-MOST_AHEAD) },
  });
}

function seenAheadIn({ evidence }: Intent): readonly number[] {
  const kept = evidence?.['ahead'];
  return Array.isArray(kept) ? kept.filter((timeMs): timeMs is number => typeof timeMs === 'number') : [];
}
