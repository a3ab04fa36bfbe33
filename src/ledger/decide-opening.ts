/**
 * Decides whether a call may be sent. The order of the checks is the rule: this step's own row, the `once` key, the row that the
 * flow waited for, equal calls of other runs, an answer that is young enough or was bought since this run asked, and one that was
 * bought since then and lost (docs/decisions/0027). The budget is checked afterwards. Pure.
 */
import type { Intent, IntentState } from './intent.js';
import type { KeptIntent } from './intent-row.js';
import type { IntentVerdict } from './intent-verdict.js';
import type { LookUp } from './look-up.js';
import type { OpenIntent } from './opening-request.js';
import { decisionOf, MAY_BE_PAID } from './states.js';

export type Opening =
  /** The verdict is final; nothing is written. */
  | { readonly kind: 'answer'; readonly verdict: IntentVerdict }
  /** Write a row of our own that shares the present or future answer of `from`. */
  | { readonly kind: 'join'; readonly from: KeptIntent }
  /** Write only a waiter: `on` will be settled by its call (open) or decided by a person (unknown). */
  | { readonly kind: 'wait'; readonly on: Intent; readonly verdict: 'open elsewhere' | 'unknown elsewhere' }
  /** Write a closed row: the step had reached a later ordinal before a reset brought it back here. */
  | { readonly kind: 'shut' }
  /** Only a hold of the account or the budget may still stop it. */
  | { readonly kind: 'send' };

export interface OpeningTerms {
  readonly subject: string;
  /** A free call does not wait for an equal call: only pending work is joined. */
  readonly free: boolean;
}

export function decideOpening(request: OpenIntent, { subject, free }: OpeningTerms, found: LookUp): Opening {
  if (found.own !== undefined) {
    // After a reset the step may be back at an ordinal that bought nothing, while a later one has its answer.
    const laterPaid = found.later.find(({ intent }) => MAY_BE_PAID.includes(intent.state));
    const verdict =
      laterPaid !== undefined && boughtNothing(found.own.intent)
        ? judgeOther(request, subject, laterPaid)
        : judgeOwn(request, subject, found);
    return { kind: 'answer', verdict };
  }
  if (found.later.length > 0) return { kind: 'shut' };
  if (found.earlier !== undefined) return { kind: 'answer', verdict: judgeOther(request, subject, found.earlier) };
  // A retry without a row: the first attempt may have been lost anywhere, even after its call.
  if (request.attempt > 1) return { kind: 'answer', verdict: { kind: 'ambiguous' } };
  return (
    judgeOnce(request, subject, found.once) ??
    (found.target === undefined ? undefined : takeOver(found.target)) ??
    judgeLive(found.live, free ? ['pending'] : ['pending', 'open', 'unknown']) ??
    joinDone(found.young ?? (free ? undefined : found.shared)) ??
    judgeLive(found.live, free ? [] : ['charged_lost']) ?? { kind: 'send' }
  );
}

function joinDone(row: KeptIntent | undefined): Opening | undefined {
  return row === undefined ? undefined : { kind: 'join', from: row };
}

function judgeOwn(request: OpenIntent, subject: string, found: LookUp): IntentVerdict {
  const { intent, attemptToken } = found.own as KeptIntent;
  const conflict = stepConflict(request, subject, intent);
  if (conflict !== undefined) return conflict;
  switch (intent.state) {
    case 'open':
      return attemptToken === request.attemptToken ? { kind: 'send', intent } : { kind: 'ambiguous', intent };
    case 'unknown':
      return { kind: 'ambiguous', intent };
    case 'closed':
      return { kind: 'closed', intent };
    default:
      return { kind: 'stored', intent, eventSeen: found.ownEventSeen };
  }
}

function boughtNothing({ state, charged, evidence }: Intent): boolean {
  if (state === 'rejected') return charged === null || charged <= 0;
  return state === 'not_sent' || (state === 'closed' && decisionOf({ evidence }) !== 'abandon');
}

/** Judges a row of this step that was or may have been paid under another ordinal: a reset or an outage hid it from the flow. */
function judgeOther(request: OpenIntent, subject: string, { intent }: KeptIntent): IntentVerdict {
  const conflict = stepConflict(request, subject, intent);
  if (conflict !== undefined) return conflict;
  return intent.state === 'open' || intent.state === 'unknown'
    ? { kind: 'ambiguous', intent }
    : { kind: 'stored', intent };
}

/** A row of this step about another call: settings that name arguments have changed (a reset after a deploy). Send nothing. */
function stepConflict(request: OpenIntent, subject: string, intent: Intent): IntentVerdict | undefined {
  const same =
    intent.operation === request.operation && intent.subject === subject && intent.account === request.account;
  if (same) return undefined;
  const problem =
    `step "${request.step}" #${intent.ordinal} of ${request.workflowId} was used for another call ` +
    `(${intent.operation}), or its settings have changed since; start a new run`;
  return { kind: 'step conflict', problem };
}

/** Best first: an answer, accepted work, a paid and lost answer, an open or unknown call, an abandoned one, a charged refusal. */
const ONCE_ORDER: readonly IntentState[] = ['done', 'pending', 'charged_lost', 'open', 'unknown', 'closed', 'rejected'];

function judgeOnce(request: OpenIntent, subject: string, rows: readonly KeptIntent[]): Opening | undefined {
  // A row that cost nothing does not bind the key: the next start may have other arguments.
  const paid = rows.flatMap((row) => {
    const opening = takeOverOnce(request, row);
    return opening === undefined ? [] : [{ ...row, opening }];
  });
  const other = paid.find(({ intent }) => intent.operation !== request.operation || intent.subject !== subject);
  if (other !== undefined) return onceConflict(request, other.intent, 'with other arguments');
  for (const state of ONCE_ORDER) {
    const found = paid.find(({ intent }) => intent.state === state);
    if (found === undefined) continue;
    const missing = request.flags.find((flag) => !found.intent.flags.includes(flag));
    return missing === undefined ? found.opening : onceConflict(request, found.intent, `without "${missing}"`);
  }
  return undefined;
}

/**
 * A charged refusal is what this key has paid for; so is a refusal of accepted work whose charge was not reported. A later
 * ordinal continues from it instead of joining it, as after `resume`.
 */
function takeOverOnce(request: OpenIntent, row: KeptIntent): Opening | undefined {
  const { state, charged, requestId } = row.intent;
  const isPaid = charged === null ? requestId !== null : charged > 0;
  return state === 'rejected' && isPaid && request.ordinal === 1 ? { kind: 'join', from: row } : takeOver(row);
}

function onceConflict(request: OpenIntent, used: Intent, how: string): Opening {
  const problem =
    `this once or reference was used before ${how} (step "${request.step}", workflow ${used.workflowId}); ` +
    'use another one, or the same arguments';
  return { kind: 'answer', verdict: { kind: 'once conflict', problem } };
}

/** What happens to a call that is equal to `row`; undefined if `row` cost nothing and the call may be sent. */
function takeOver(row: KeptIntent): Opening | undefined {
  switch (row.intent.state) {
    case 'done':
    case 'pending':
    case 'charged_lost':
      return { kind: 'join', from: row };
    case 'open':
      return { kind: 'wait', on: row.intent, verdict: 'open elsewhere' };
    case 'unknown':
      return { kind: 'wait', on: row.intent, verdict: 'unknown elsewhere' };
    case 'closed':
      // Abandoned: whether it was paid is unknown. Calls that depend on it end with that decision.
      return decisionOf(row.intent) === 'abandon' ? { kind: 'join', from: row } : undefined;
    case 'rejected':
    case 'not_sent':
      return undefined;
  }
}

function judgeLive(rows: readonly KeptIntent[], states: readonly IntentState[]): Opening | undefined {
  for (const state of states) {
    const row = rows.find(({ intent }) => intent.state === state);
    if (row !== undefined) return takeOver(row);
  }
  return undefined;
}
