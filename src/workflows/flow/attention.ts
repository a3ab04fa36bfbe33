/**
 * The attention of a flow: what needs a person, as the search attribute `TramitaAttention`, which is upserted only when it changes.
 * While the flow looks again by itself its attention stays, with the time since when; progress or a person ends it. A run that
 * continues another one has the attribute from there.
 */
import { patched, upsertSearchAttributes } from '@temporalio/workflow';
import { defineSearchAttributeKey, type TypedSearchAttributes } from '@temporalio/common';
import { SEARCH_ATTRIBUTES, type Attention } from '../../protocol/index.js';
import { ASKS_AFTER_MS } from './asks-after.js';
import type { ParkingPlace } from './parking-lot.js';

const ATTENTION = defineSearchAttributeKey(SEARCH_ATTRIBUTES.attention, 'KEYWORD');

interface FlowAttention {
  current(): Attention | null;
  /** The one under which the flow goes on by itself: it is not known yet whether its cause is cured. */
  unsure(): Attention | null;
  /** The flow parks at `place`. Returns since when it waits there: the attention is raised then, or a minute later. */
  raise(place: ParkingPlace): number;
  /** The wait at the place is over: the flow looks again `byItself`, or because a person said so. */
  goesOn(how: { readonly byItself: boolean }): void;
  /** The flow is not parked. Ends the attention unless the flow looks again by itself. */
  leave(): void;
  /** A call has its answer. */
  answered(): void;
  /** The cause is cured; false where nothing changes. */
  recover(): boolean;
  /** From now on people are informed of an unexpected charge where nothing else needs them. */
  inform(): void;
}

/** Looks again so soon that it may be over before anybody comes. */
function mayHeal({ lookAgainAfterMs }: ParkingPlace): boolean {
  return (lookAgainAfterMs?.(0) ?? Infinity) < ASKS_AFTER_MS;
}

export function openAttention(attributes: TypedSearchAttributes): FlowAttention {
  const carried = attributes.get(ATTENTION);
  // Runs from before this patch knew nothing of it, so they never took it away.
  let current = carried !== undefined && patched('attention-ends-with-its-cause') ? (carried as Attention) : null;
  let sinceMs = Date.now();
  /** A place that looks for evidence by itself, since it was entered: for its first minute it asks nobody. */
  let quiet: { readonly about: Attention; readonly sinceMs: number } | undefined;
  let informs: Attention | null = current === 'unexpected-charge' ? current : null;
  let looksByItself = false;
  const set = (next: Attention | null): void => {
    if (next === current) return;
    current = next;
    sinceMs = Date.now();
    upsertSearchAttributes([{ key: ATTENTION, value: next }]);
  };
  const end = (): void => {
    looksByItself = false;
    quiet = undefined;
    set(informs);
  };
  const unsure = (): Attention | null => (looksByItself && current !== informs ? current : null);
  return {
    current: () => current,
    unsure,
    raise: (place) => {
      if (current === place.attention) return sinceMs;
      if (quiet?.about !== place.attention) quiet = { about: place.attention, sinceMs: Date.now() };
      const { sinceMs: parkedSinceMs } = quiet;
      const isQuiet = mayHeal(place) && Date.now() - parkedSinceMs < ASKS_AFTER_MS;
      if (isQuiet && patched('asks-after-a-minute')) set(informs);
      else {
        set(place.attention);
        sinceMs = parkedSinceMs;
      }
      return parkedSinceMs;
    },
    goesOn: ({ byItself }) => {
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
      informs = 'unexpected-charge';
      if (current === null) set(informs);
    },
  };
}
