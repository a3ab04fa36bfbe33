/** Evidence of a refresh: the status record of the case, and the events about it that have arrived. */
import { readRefreshStatus, type Json } from '../../contract/index.js';
import { cnjKey } from '../../inbox/index.js';
import type { Intent } from '../../ledger/index.js';
import type { CallSubject } from '../../protocol/index.js';
import type { AccountDeps, ActivityDeps } from '../deps.js';
import { readFree } from '../free-read.js';
import { parseStored } from '../stored-outcome.js';
import { decideRefreshEvidence, type RefreshFacts } from './decide-refresh-evidence.js';
import { nothing, type Finding } from './types.js';

const TOTAL_MS = 20_000;
const MOST_EVENTS = 20;

export async function findRefreshEvidence(
  deps: ActivityDeps,
  {
    account,
    intent,
    subject,
  }: { readonly account: AccountDeps; readonly intent: Intent; readonly subject: CallSubject },
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
  const othersUnderWay = (await deps.ledger.about(subject)).some(
    (other) =>
      other.intentId !== intent.intentId &&
      other.joined !== intent.intentId &&
      (other.state === 'open' || other.state === 'pending' || other.state === 'unknown'),
  );
  const skewMs = read.kind === 'read' ? read.skewMs : null;
  const facts: RefreshFacts = { intent, skewMs, othersUnderWay };
  const status =
    read.kind === 'barred'
      ? nothing('the refresh status (not read: it has charged before)')
      : read.judgement.outcome === 'DONE'
        ? fromRecord(deps, read.judgement.body as Json, facts, 'the refresh status')
        : nothing('the refresh status (no answer)');
  const told = read.kind === 'read' && read.unexpected !== undefined ? { unexpected: read.unexpected } : {};
  if (status.found !== 'nothing') return { ...status, ...told };
  return { ...((await fromEvents(deps, cnj, facts)) ?? status), ...told };
}

function fromRecord(deps: ActivityDeps, record: Json, facts: RefreshFacts, what: string): Finding {
  const status = readRefreshStatus(record, deps.gaps);
  const evidence = decideRefreshEvidence(status, facts);
  if (!evidence.ours) return nothing(`${what} (${evidence.because})`);
  return {
    found: 'sent',
    looked: `${what} (${evidence.proof})`,
    settlement: {
      state: 'pending',
      ...(status.requestId === undefined ? {} : { requestId: status.requestId }),
      evidence: { adopted: evidence.proof, from: what, serviceTimeMs: status.timeMs ?? null },
    },
  };
}

/** The webhook may know more than the status, and it was here before anybody looked. */
async function fromEvents(deps: ActivityDeps, cnj: string, facts: RefreshFacts): Promise<Finding | undefined> {
  for (const { body, event } of await deps.eventsFor([cnjKey(cnj)], facts.intent.openedAtMs, MOST_EVENTS)) {
    if (!/atualizacao/i.test(event)) continue;
    const finding = fromRecord(deps, (parseStored(body) ?? null) as Json, facts, `the event ${event}`);
    if (finding.found !== 'nothing') return finding;
  }
  return undefined;
}
