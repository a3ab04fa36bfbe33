/**
 * Evidence of a refresh: the status record of the case, then its request, where one is known or an event has named one. An event
 * alone decides nothing (docs/decisions/0026).
 */
import { readRefreshStatus, type RefreshStatus } from '../../contract/index.js';
import type { ActivityDeps } from '../deps.js';
import { readFree } from '../../http/index.js';
import { askRequest, requestsOf, type RequestAnswer } from '../polling/named-requests.js';
import { decideRefreshEvidence, type RefreshFacts } from './decide-refresh-evidence.js';
import { nothing, type Finding, type UndecidedCall } from './types.js';

/** The status, three requests and the balance fit into one attempt of a free activity (60 s). */
const TOTAL_MS = 15_000;
const REQUEST_MS = 4_000;
const UNREAD = { barred: 'it has charged before', throttled: 'the service asked the account to wait' } as const;

export async function findRefreshEvidence(deps: ActivityDeps, call: UndecidedCall): Promise<Finding> {
  const { account, intent, subject } = call;
  // Adopted before, and unknown again: what the status tells led nowhere, so it would only go round.
  if (intent.evidence?.['adopted'] !== undefined) return nothing('the refresh status (it has led nowhere before)');
  const read = await readFree(deps, {
    account,
    operation: 'getRefreshStatus',
    params: { cnj: String(subject.params['cnj'] ?? '') },
    totalMs: TOTAL_MS,
    reader: intent,
  });
  const told = read.kind === 'read' && read.unexpected !== undefined ? { unexpected: read.unexpected } : {};
  const facts: RefreshFacts = {
    intent,
    skewMs: read.kind === 'read' ? read.skewMs : null,
    others: await othersAbout(deps, call),
  };
  const status =
    read.kind !== 'read'
      ? nothing(`the refresh status (not read: ${UNREAD[read.kind]})`)
      : read.judgement.outcome === 'DONE'
        ? findingOf(readRefreshStatus(read.judgement.body, deps.gaps), facts, 'the refresh status')
        : nothing('the refresh status (no answer)');
  if (status.found !== 'nothing' || read.kind === 'throttled') return { ...status, ...told };
  const byRequest = await findByRequest(deps, call);
  return { ...byRequest, looked: `${status.looked}; ${byRequest.looked}`, ...told };
}

/** After the reading: whoever asked for a refresh that it tells of has a row by now. */
async function othersAbout(deps: ActivityDeps, { intent, subject }: UndecidedCall): Promise<RefreshFacts['others']> {
  const rows = await deps.ledger.about(subject);
  return rows.filter((other) => other.intentId !== intent.intentId && other.joined === null);
}

async function findByRequest(deps: ActivityDeps, call: UndecidedCall): Promise<Finding> {
  const { account, intent, subject } = call;
  const requestIds = await requestsOf(deps, intent, String(subject.params['cnj'] ?? ''));
  if (requestIds.length === 0) return nothing('its request (none is known, and no event names one)');
  const looked: string[] = [];
  for (const requestId of requestIds) {
    const answer = await askRequest(deps, { account, requestId, totalMs: REQUEST_MS });
    const finding = findingOfRequest(answer, {
      intent,
      skewMs: answer.skewMs,
      others: await othersAbout(deps, call),
    });
    if (finding.found !== 'nothing') return finding;
    looked.push(finding.looked);
  }
  return nothing(looked.join('; '));
}

function findingOfRequest({ requestId, status }: RequestAnswer, facts: RefreshFacts): Finding {
  const what = facts.intent.requestId === requestId ? 'its request' : `request ${requestId}, which an event names`;
  return status === undefined ? nothing(`${what} (no end)`) : findingOf(status, facts, what);
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
