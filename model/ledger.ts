/** Changes of ledger rows: the real pure rules on the rows of the state, each as one transaction. */
import type { ChargeDecision, CallOutcome } from '../src/protocol/index.js';
import { NO_PLAN, outcomeOfIntent } from '../src/activities/charged/outcome-of-intent.js';
import type { Intent, Settlement } from '../src/ledger/index.js';
import { decideCharge } from '../src/ledger/decide-charge.js';
import { applySettlement, decideSettlement } from '../src/ledger/decide-settlement.js';
import type { SettlementSource } from '../src/ledger/ledger.js';
import type { KeptIntent } from '../src/ledger/intent-row.js';
import { becomeUnknown, decisionOf, followRoot, rootOf } from '../src/ledger/states.js';
import { withCall } from './change.js';
import { isOn } from './defects.js';
import { NOW_MS, callOfId, numberOf, rowAt } from './rows.js';
import { flowOf, mayBePaid, type State } from './words.js';
import { worldOf } from './worlds.js';

/** The result of a transaction, and the state after it. */
export interface Written<T> {
  readonly state: State;
  readonly result: T;
}

/** Writes a row. The rows that joined it change with it. */
export function putRow(state: State, call: number, row: KeptIntent): State {
  const { intent } = row;
  let next = writeRow(state, call, row);
  for (const copy of [0, 1, 2, 3]) {
    const copied = copy === call ? undefined : rowAt(next, copy);
    if (copied?.intent.joined === intent.intentId) {
      next = writeRow(next, copy, { ...copied, intent: followRoot(copied.intent, intent) });
    }
  }
  return next;
}

function writeRow(state: State, call: number, row: KeptIntent): State {
  const other = state.flows[flowOf(call) === 0 ? 1 : 0];
  const { stale = false, over = false } = state.calls[call] ?? {};
  const before = rowAt(state, call)?.intent.state;
  return withCall(state, call, {
    row: numberOf(row),
    stale: stale || (isAnswered(row.intent.state) && !isAnswered(before) && other.phase === 'not started'),
    over: over || (row.intent.state === 'charged_lost' && decisionOf(row.intent) !== undefined),
  });
}

function isAnswered(state: Intent['state'] | undefined): boolean {
  return state === 'done' || state === 'charged_lost';
}

/** The row with this id, and the row that holds its charge; undefined when either is missing. */
export function findRow(
  state: State,
  intentId: string,
): { readonly asked: KeptIntent; readonly root: KeptIntent; readonly rootCall: number } | undefined {
  const asked = rowAt(state, callOfId(intentId));
  if (asked?.intent.intentId !== intentId) return undefined;
  const rootId = rootOf(asked.intent);
  const rootCall = callOfId(rootId);
  const root = rowAt(state, rootCall);
  return root?.intent.intentId === rootId ? { asked, root, rootCall } : undefined;
}

/** Undefined when there is no such row. A settlement that contradicts a decision changes nothing. */
export function settle(
  state: State,
  intentId: string,
  settlement: Settlement,
  source?: SettlementSource,
): State | undefined {
  const found = findRow(state, intentId);
  if (found === undefined) return undefined;
  const { root, rootCall } = found;
  const decided = root.intent.state === 'closed' && isOn('a late answer moves a decided row');
  const effect = decided ? 'apply' : decideSettlement(root.intent, settlement, source);
  if (effect !== 'apply') return state;
  const intent = applySettlement(root.intent, settlement, {
    nowMs: NOW_MS,
    bodySha256: undefined,
    listedPrice: undefined,
  });
  return putRow(state, rootCall, { ...root, intent });
}

export function makeUnknown(state: State, call: number, row: KeptIntent): State {
  return putRow(state, call, { ...row, intent: becomeUnknown(row.intent, 'the outcome is unknown') });
}

/** Undefined when the ledger refuses the decision, or has no such row. */
export function decide(
  state: State,
  intentId: string,
  person: { readonly decision: ChargeDecision; readonly requestId?: string },
): State | undefined {
  const found = findRow(state, intentId);
  if (found === undefined) return undefined;
  const { root, rootCall } = found;
  const decided = decideCharge(
    root.intent,
    { ...person, by: 'person' },
    { nowMs: NOW_MS, byStatus: worldOf(state).byStatus },
  );
  if (decided.kind === 'refused') return undefined;
  if (decided.kind === 'same') return state;
  const call = state.calls[rootCall];
  const paid = call !== undefined && mayBePaid(call);
  return withCall(putRow(state, rootCall, { ...root, intent: decided.intent }), rootCall, {
    excused: call?.excused === true || (paid && person.decision === 'not-charged'),
    over: call?.over === true || person.decision === 'abandon' || decided.intent.state === 'charged_lost',
  });
}

/** Closes a row that evidence has proven unpaid; a row that changed in the meantime stays. */
export function closeByEvidence(state: State, call: number): State {
  const row = rowAt(state, call);
  if (row?.intent.state !== 'unknown') return state;
  const evidence = { ...row.intent.evidence, proof: 'balance', decision: 'not-charged' };
  const intent: Intent = { ...row.intent, state: 'closed', reserved: 0 as Intent['reserved'], evidence };
  return putRow(state, call, { ...row, intent });
}

/** The outcome that the flow receives for a row, by the real code. */
export function outcomeOf(state: State, intent: Intent): CallOutcome {
  const source = intent.joined === null ? intent : (findRow(state, intent.intentId)?.root.intent ?? intent);
  return outcomeOfIntent(intent, { source, reading: {}, plan: NO_PLAN });
}
