/**
 * The ledger's rows as the real code has them. A book stores each different row once, and a state holds its number. Members
 * that no decision reads (times, wording, who decided) are left out, so that equal rows have equal numbers.
 */
import type { Intent } from '../src/ledger/intent.js';
import type { KeptIntent } from '../src/ledger/intent-row.js';
import type { StepKey } from '../src/protocol/index.js';
import { callTitle, flowOf, ordinalOf, type State } from './words.js';

/** The time of everything in the model, epoch ms; only the order of moves matters. */
export const NOW_MS = 1_000_000;
export const ACCOUNT = 'default';
export const SUBJECT = 'case';

const book: (KeptIntent | undefined)[] = [undefined];
const numbers = new Map<string, number>();

export function rowAt(state: State, call: number): KeptIntent | undefined {
  return book[state.calls[call]?.row ?? 0];
}

export function numberOf(row: KeptIntent): number {
  const key = keyOf(row);
  const known = numbers.get(key);
  if (known !== undefined) return known;
  book.push(plainRow(row));
  numbers.set(key, book.length - 1);
  return book.length - 1;
}

export function intentIdOf(call: number, token: number): string {
  return `${callTitle(call)}.${token}`;
}

export function callOfId(intentId: string): number {
  const flow = intentId.startsWith('A') ? 0 : 1;
  const ordinal = Number(intentId.slice(2, intentId.indexOf('.')));
  return flow * 2 + ordinal - 1;
}

export function tokenOfId(intentId: string): number {
  return Number(intentId.slice(intentId.indexOf('.') + 1));
}

export function requestIdOf(call: number): string {
  return `00000000-0000-4000-8000-00000000000${call}`;
}

export function callOfRequest(requestId: string): number {
  return Number(requestId.slice(-1));
}

export function stepKeyOf(call: number): StepKey {
  return { workflowId: flowOf(call) === 0 ? 'A' : 'B', firstRunId: '1', step: 'call', ordinal: ordinalOf(call) };
}

/** Everything that a decision may read of a row; {@link plainRow} leaves out the rest. */
function keyOf({ intent, attemptToken }: KeptIntent): string {
  const { intentId, operation, once, state, joined, reserved, charged, requestId, httpStatus, finalState, evidence } =
    intent;
  const facts = [
    intentId,
    operation,
    once,
    state,
    joined,
    reserved,
    charged,
    requestId,
    httpStatus,
    finalState,
    attemptToken,
  ];
  const settled = intent.settledAtMs === null ? '' : 'settled';
  return [...facts, settled, ...EVIDENCE.map((name) => JSON.stringify(evidence?.[name]))].join(' ');
}

const EVIDENCE = ['decision', 'requestId', 'adopted', 'proof', 'ledgerLost'] as const;

function plainRow({ intent, attemptToken }: KeptIntent): KeptIntent {
  const evidence = Object.fromEntries(
    EVIDENCE.flatMap((name) => (intent.evidence?.[name] === undefined ? [] : [[name, intent.evidence[name]]])),
  );
  const plain: Intent = {
    ...intent,
    balanceAfter: null,
    metaRequestId: null,
    searchLogId: null,
    errorCode: null,
    reason: null,
    bodySha256: null,
    rawStatus: null,
    serviceOpenedAtMs: null,
    settledAtMs: intent.settledAtMs === null ? null : NOW_MS,
    evidence: Object.keys(evidence).length === 0 ? null : evidence,
  };
  return { intent: plain, attemptToken, waiterKeys: [], budgetKey: null };
}
