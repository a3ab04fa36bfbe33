/**
 * Evidence of a refresh: the status record of the case, then its request if one is known or an event has named one. An event
 * alone decides nothing (docs/decisions/0026).
 */
import { readRefreshStatus, type RefreshStatus, present } from '../../contract/index.js';
import { readFree, type FreeAnswer } from '../../http/index.js';
import { askRequest, requestsOf, type RequestAnswer } from '../polling/named-requests.js';
import type { Intent } from '../../ledger/index.js';
import { decideRefreshEvidence, type RefreshFacts } from './decide-refresh-evidence.js';
import { nothing, type EvidenceDeps, type Finding, type UndecidedCall } from './types.js';

/** The status, three requests and the balance fit into one attempt (`EVIDENCE_DEADLINE_MS`). */
const TOTAL_MS = 15_000;
const REQUEST_MS = 4_000;
/** How many times ahead of the service's clock a row keeps; the newest ones. */
const MOST_AHEAD = 20;
const UNREAD = { barred: 'reading it was charged before', throttled: 'the service asked the account to wait' } as const;

type Facts = RefreshFacts & Pick<UndecidedCall, 'intent'>;

export async function findRefreshEvidence(deps: EvidenceDeps, call: UndecidedCall): Promise<Finding> {
  const { account, intent, subject } = call;
  // Adopted before and unknown again: the status led nowhere, so to adopt it once more would only loop.
  if (intent.evidence?.['adopted'] !== undefined)
    return nothing('the refresh status (followed before without a result)');
  const read = await readFree(deps, {
    account,
    operation: 'getRefreshStatus',
    params: { cnj: String(subject.params['cnj'] ?? '') },
    totalMs: TOTAL_MS,
    reader: intent,
  });
  const facts = await factsOf(deps, call, read.kind === 'read' ? read.skewMs : null);
  const status = await findingOfStatus(deps, read, facts);
  if (status.found !== 'nothing' || read.kind === 'throttled') return status;
  const byRequest = await findByRequest(deps, call);
  return { ...byRequest, looked: `${status.looked}; ${byRequest.looked}` };
}

async function findingOfStatus(deps: EvidenceDeps, read: FreeAnswer, facts: Facts): Promise<Finding> {
  if (read.kind !== 'read') return nothing(`the refresh status (not read: ${UNREAD[read.kind]})`);
  if (read.judgement.outcome !== 'DONE') return nothing('the refresh status (no answer)');
  return findingOf(deps, readRefreshStatus(read.judgement.body, deps.gaps), { facts, what: 'the refresh status' });
}

async function factsOf(deps: EvidenceDeps, call: UndecidedCall, skewMs: number | null): Promise<Facts> {
  const { intent } = call;
  const nowMs = deps.clock.nowMs();
  return { intent, nowMs, seenAhead: seenAheadIn(intent), skewMs, others: await othersAbout(deps, call) };
}

/** To be called after the read: every refresh of ours that the record may show has a row by then. */
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
  return status === undefined ? nothing(`${what} (no final answer)`) : findingOf(deps, status, { facts, what });
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

/** Stores a time that is ahead: hours later it would be ahead no longer, and look like the end of this refresh. */
async function keepAhead(deps: EvidenceDeps, intent: Intent, timeMs: number): Promise<void> {
  const seen = seenAheadIn(intent);
  if (intent.state !== 'unknown' || seen.includes(timeMs)) return;
  const evidence = { ahead: [...seen, timeMs].slice(-MOST_AHEAD) };
  await deps.ledger.settle(intent.intentId, { state: 'unknown', evidence }, { source: 'evidence' });
}

function seenAheadIn({ evidence }: Intent): readonly number[] {
  const ahead = evidence?.['ahead'];
  return Array.isArray(ahead) ? ahead.filter((timeMs): timeMs is number => typeof timeMs === 'number') : [];
}
