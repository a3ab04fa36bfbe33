/**
 * The place where a flow waits for a person, with the two updates that people use there. A decision counts only for the step
 * that is parked (P1), is in the ledger before the flow hears of it (P2), and one at a time (P3). The place stays open while
 * the flow looks again by itself, and closes when it makes progress; what was decided meanwhile is not lost.
 */
import { ApplicationFailure } from '@temporalio/common';
import { condition, defineUpdate, setHandler } from '@temporalio/workflow';
import { withJitter } from '../../contract/values/index.js';
import {
  NOT_PARKED,
  UPDATE_RESUME,
  UPDATE_SETTLE_CHARGE,
  resumeProblem,
  settleChargeProblem,
  type ResumeInput,
  type SettleChargeInput,
} from '../../protocol/index.js';
import { freeCalls } from './calls.js';
import type { EventLooks } from './event-looks.js';
import type { ParkingPlace, Verdict } from './parking-types.js';

const settleChargeUpdate = defineUpdate<{ step: string; decision: string }, [SettleChargeInput]>(UPDATE_SETTLE_CHARGE);
const resumeUpdate = defineUpdate<{ resumed: true }, [ResumeInput]>(UPDATE_RESUME);

interface ParkingFacts {
  readonly sinceMs: number;
  readonly wakes: () => number;
  readonly eventLooks: EventLooks;
}

export interface ParkingLot {
  /** Waits for a verdict at `place`; `sinceMs` is when its attention was raised, `wakes` counts signals. */
  wait(place: ParkingPlace, facts: ParkingFacts): Promise<Verdict>;
  /** What an operator reads while the flow is parked. */
  place(): ParkingPlace | undefined;
  /** The flow goes on: nothing is parked any more. */
  leave(): void;
}

/** When a place looks again, or gives up, by itself. */
function nextLookMs(place: ParkingPlace, sinceMs: number): number {
  const waitMs = place.lookAgainAfterMs?.(Date.now() - sinceMs);
  const againMs = waitMs === undefined ? Infinity : withJitter(waitMs, Math.random);
  return Math.min(sinceMs + place.giveUpAfterMs, Date.now() + againMs);
}

/** Sets the handlers of `settleCharge` and `resume`. */
export function openParkingLot(): ParkingLot {
  let parked: ParkingPlace | undefined;
  let verdict: Verdict | undefined;
  let recording = false;
  const takeVerdict = (): Verdict | undefined => {
    const taken = verdict;
    verdict = undefined;
    return taken;
  };

  setHandler(
    settleChargeUpdate,
    async (input) => {
      const place = parked;
      const isHere = (): boolean => parked?.intentId === place?.intentId && parked?.note.step === input.step;
      recording = true;
      try {
        await recordDecision(place?.intentId ?? '', input);
      } catch (error) {
        // The ledger knows better than what is shown: look again.
        if (isHere()) verdict = { by: 'wake' };
        throw error;
      } finally {
        recording = false;
      }
      if (isHere()) verdict = { by: 'decision', decision: input };
      return { step: input.step, decision: input.decision };
    },
    {
      description:
        'A person decides about a charge of a parked step: {step, decision: "not-charged"|"charged"|"abandon", by, requestId?, note?}',
      validator: (input: SettleChargeInput) => {
        refuse(settleChargeProblem(input));
        refuse(placeProblem(parked, UPDATE_SETTLE_CHARGE) ?? stepProblem(parked, input), NOT_PARKED);
        refuse(recording || verdict !== undefined ? 'another decision is being recorded' : undefined);
        refuse(parked?.decisionProblem?.(input));
      },
    },
  );
  setHandler(
    resumeUpdate,
    () => {
      verdict = { by: 'resume' };
      return { resumed: true as const };
    },
    {
      description: 'Try again now what the flow is parked on: {by, note?}',
      validator: (input: ResumeInput) => {
        refuse(resumeProblem(input));
        refuse(placeProblem(parked, UPDATE_RESUME), NOT_PARKED);
        refuse(recording || verdict !== undefined ? 'another decision is being recorded' : undefined);
      },
    },
  );

  return {
    wait: async (place, { sinceMs, wakes, eventLooks }) => {
      parked = place;
      const wakesSeen = place.wakesSeen ?? wakes();
      const woken = (): boolean => place.accepts.includes('wake') && wakes() > wakesSeen && !recording;
      const moved = await condition(
        () => verdict !== undefined || woken(),
        Math.max(nextLookMs(place, sinceMs) - Date.now(), 1),
        { summary: `parked (${place.attention}): waits for a person` },
      );
      if (moved && verdict === undefined) await eventLooks.take(() => verdict !== undefined);
      // A decision that is being recorded when the time runs out still counts.
      await condition(() => !recording);
      const decided = takeVerdict();
      if (decided !== undefined) return decided;
      if (moved) return { by: 'wake' };
      return Date.now() >= sinceMs + place.giveUpAfterMs ? { by: 'giving up' } : { by: 'timer' };
    },
    place: () => parked,
    leave: () => {
      parked = undefined;
      verdict = undefined;
    },
  };
}

function recordDecision(intentId: string, { step, decision, by, note, requestId }: SettleChargeInput): Promise<void> {
  return freeCalls(`record decision ${decision} on ${step}`).recordDecision({
    intentId,
    decision,
    by,
    ...(note === undefined ? {} : { note }),
    ...(requestId === undefined ? {} : { requestId: requestId.trim().toLowerCase() }),
  });
}

function placeProblem(place: ParkingPlace | undefined, update: 'settleCharge' | 'resume'): string | undefined {
  if (place === undefined) return `nothing is parked: ${update} is accepted only while the flow waits for a person`;
  if (place.accepts.includes(update)) return undefined;
  return `${update} is not what "${place.attention}" waits for; accepted: ${place.accepts.join(', ')}`;
}

function stepProblem(place: ParkingPlace | undefined, { step }: SettleChargeInput): string | undefined {
  const parkedStep = place?.note.step ?? '';
  return parkedStep === step ? undefined : `step "${step}" is not parked; the parked step is "${parkedStep}"`;
}

/** In a validator: what it throws reaches the caller alone and stands in no history. */
function refuse(problem: string | undefined, type: 'InvalidInput' | typeof NOT_PARKED = 'InvalidInput'): void {
  if (problem !== undefined) throw ApplicationFailure.nonRetryable(`tramita: ${problem}`, type);
}
