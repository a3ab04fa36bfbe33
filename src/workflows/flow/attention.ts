/**
 * The attention of a flow: why it needs a person, as the search attribute `TramitaAttention`, which is upserted only when it
 * changes. It stays, with its start time, while the flow tries again by itself; progress or a person ends it. A run that
 * continues another one inherits the attribute.
 */
import { patched, upsertSearchAttributes } from '@temporalio/workflow';
import { defineSearchAttributeKey, type TypedSearchAttributes } from '@temporalio/common';
import { SEARCH_ATTRIBUTES, type Attention } from '../../protocol/index.js';
import { ASKS_AFTER_MS } from './asks-after.js';
import type { ParkingPlace } from './parking-place.js';

const ATTENTION = defineSearchAttributeKey(SEARCH_ATTRIBUTES.attention, 'KEYWORD');

interface FlowAttention {
  current(): Attention | null;
  /** The attention under which the flow tries again by itself, its cause not known to be cured yet; null otherwise. */
  unsure(): Attention | null;
  /** The flow parks at `place`. Returns since when it waits there. The attention is raised at once, or after a minute. */
  raise(place: ParkingPlace): number;
  /** The wait is over: the flow tries again `byItself`, or because a person said so. */
  waitEnded(how: { readonly byItself: boolean }): void;
  /** The flow is not parked any more. Ends the attention unless the flow tries again by itself. */
  leave(): void;
  /** A call was answered. Ends the attention of a flow that tries again by itself. */
  answered(): void;
  /** The cause is cured. Returns false if nothing changes. */
  recover(): boolean;
  /** From now on the attention is `unexpected-charge` while nothing else needs a person. */
  inform(): void;
}

/** The place looks again so soon that the wait may be over before anybody comes. */
function mayHeal({ lookAgainAfterMs }: ParkingPlace): boolean {
  return (lookAgainAfterMs?.(0) ?? Infinity) < ASKS_AFTER_MS;
}

export function openAttention(attributes: TypedSearchAttributes): FlowAttention {
  const carried = attributes.get(ATTENTION);
  // Runs from before this patch ignored the inherited attribute, so they never removed it.
  let current = carried !== undefined && patched('attention-ends-with-its-cause') ? (carried as Attention) : null;
  let sinceMs = Date.now();
  /** The place where the flow parked last, and since when: for its first minute a place that looks for evidence asks nobody. */
  let entered: { readonly about: Attention; readonly sinceMs: number } | undefined;
  /** The attention while nothing needs a person. */
  let atRest: Attention | null = current === 'unexpected-charge' ? current : null;
  let looksByItself = false;
  const set = (next: Attention | null): void => {
    if (next === current) return;
    current = next;
    sinceMs = Date.now();
    upsertSearchAttributes([{ key: ATTENTION, value: next }]);
  };
  const end = (): void => {
    looksByItself = false;
    entered = undefined;
    set(atRest);
  };
  const unsure = (): Attention | null => (looksByItself && current !== atRest ? current : null);
  return {
    current: () => current,
    unsure,
    raise: (place) => {
      if (current === place.attention) return sinceMs;
      if (entered?.about !== place.attention) entered = { about: place.attention, sinceMs: Date.now() };
      const { sinceMs: parkedSinceMs } = entered;
      const isQuiet = mayHeal(place) && Date.now() - parkedSinceMs < ASKS_AFTER_MS;
      if (isQuiet && patched('asks-after-a-minute')) set(atRest);
      else {
        set(place.attention);
        sinceMs = parkedSinceMs;
      }
      return parkedSinceMs;
    },
    waitEnded: ({ byItself }) => {
      looksByItself = byItself;
    },
    leave: () => {
      if (!looksByItself) end();
    },
    answered: () => {
      if (looksByItself) end();
    },
    recover: () => {
      // Runs from before this patch kept it until their next charged answer.
      if (unsure() === null || !patched('attention-ends-with-its-cause')) return false;
      end();
      return true;
    },
    inform: () => {
      atRest = 'unexpected-charge';
      if (current === null) set(atRest);
    },
  };
}
