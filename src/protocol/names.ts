/** Names that cross Temporal: queues, signals, updates, queries, search attributes. Pure constants. */

/** Account of an input that names none. */
export const DEFAULT_ACCOUNT = 'default';
/** Task queue of a configuration that sets none. */
export const DEFAULT_TASK_QUEUE = 'tramita';

/** Queue of charged activities of one account: fixed slots and rate limits apply to paid calls only. */
export function chargedTaskQueue(taskQueue: string, account: string): string {
  return `${taskQueue}-charged-${account}`;
}

/** Queue of the polls of one account: a rate of their own, which leaves the service's limit to paid calls. */
export function pollsTaskQueue(taskQueue: string, account: string): string {
  return `${taskQueue}-polls-${account}`;
}

/**
 * Replaces the account in the name of the legacy search's queue: its limit of 30 a minute also counts per address, so all
 * accounts of a host share one queue. No account can have this name, because it has a dot.
 */
export function legacyQueueOf(baseUrl: string): string {
  const [, host = ''] = /^https?:\/\/([^/?#]+)/i.exec(baseUrl) ?? [];
  return `legacy.${host.toLowerCase().replace(/[^a-z0-9.-]/g, '-')}`;
}

/** Signal that shortens a wait, with a `WakeInput`; it can never spend. */
export const SIGNAL_WAKE = 'wake';
/** Update with a person's decision about a charge, a `SettleChargeInput`. */
export const UPDATE_SETTLE_CHARGE = 'settleCharge';
/** Update that lets a parked flow try again now, with a `ResumeInput`. */
export const UPDATE_RESUME = 'resume';
/** Query that is answered by a `Progress`. */
export const QUERY_PROGRESS = 'progress';

/** Search attributes, all of type Keyword. An unregistered one would hang every flow: the worker checks at start. */
export const SEARCH_ATTRIBUTES = {
  flow: 'TramitaFlow',
  account: 'TramitaAccount',
  case: 'TramitaCase',
  attention: 'TramitaAttention',
} as const;

/** Memo key under which starters keep the hash of the input, to recognise a different input under the same id. */
export const MEMO_INPUT_HASH = 'tramitaInput';
/** Memo key of a refresh that a portfolio started: `{once, budget?}`, kept out of its input so that people share the run. */
export const MEMO_SWEEP = 'tramitaSweep';

/** Memo key under which starters keep the fingerprint of their id key: a worker that has another one refuses the run's calls. */
export const MEMO_ID_KEY = 'tramitaIdKey';
/** Kind of the token (over the empty text) that is this fingerprint. */
export const ID_KEY_FINGERPRINT = 'fingerprint/id key';
/** Memo key of a cap that a person has raised (`resume` with `maxSpend`): it lives on in runs that continue this one. */
export const MEMO_MAX_SPEND = 'tramitaMaxSpend';

/** Why a parked flow needs a person. */
export type Attention =
  'unknown-charge' | 'ledger-lost' | 'charged-lost' | 'stalled' | 'budget' | 'credentials' | 'unexpected-charge';

/** An attention that only informs: the flow goes on. */
const INFORMS: Attention = 'unexpected-charge';

/** The attention, if it needs a person; null otherwise. */
export function needOf(attention: string | null): string | null {
  return attention === INFORMS ? null : attention;
}

/** What a flow is doing now. `parked`: it waits for a person, at no cost. */
export type FlowState = 'starting' | 'requesting' | 'waiting' | 'reading' | 'downloading' | 'parked' | 'done';
