/**
 * Where a flow waits for a person, with the two updates that people send there: `settleCharge` and `resume`. A decision is
 * accepted only for the parked step, or for a step with an adopted pending call. It is in the ledger before the flow learns of
 * it, and only one is recorded at a time. The place stays open while the flow looks again by itself, so that no decision is
 * lost meanwhile, and closes when the flow makes progress.
 */
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { condition, defineUpdate, patched, setHandler } from '@temporalio/workflow';
import { GIVE_UP_AFTER_MS, present, withJitter } from '../../contract/values/index.js';
import {
  NOT_PARKED,
  UPDATE_RESUME,
  UPDATE_SETTLE_CHARGE,
  resumeProblem,
  provenPaidProblem,
  raisedCapProblem,
  settleChargeProblem,
  type CallFacts,
  type FlowState,
  type ResumeInput,
  type ResumeResult,
  type SettleChargeInput,
  type SettleChargeResult,
} from '../../protocol/index.js';
import { createAttemptResults } from './attempt-results.js';
import { freeCalls } from './calls.js';
import { decisionTarget, updateProblem } from './decision-target.js';
import type { EventLooks } from './event-looks.js';
import type { ParkingPlace, Verdict } from './parking-place.js';
import type { RunningSettings } from './running-settings.js';
import type { WakeCount } from './wake-count.js';

const settleChargeUpdate = defineUpdate<SettleChargeResult, [SettleChargeInput]>(UPDATE_SETTLE_CHARGE);
const resumeUpdate = defineUpdate<ResumeResult, [ResumeInput]>(UPDATE_RESUME);

interface ParkingLot {
  /** Waits for a verdict at `place`; undefined: none came in time. `sinceMs`: when the wait began. */
  wait(place: ParkingPlace, sinceMs: number): Promise<Verdict | undefined>;
  /** What an operator reads while the flow is parked. */
  place(): ParkingPlace | undefined;
  /** The flow leaves the place, at least for its next attempt. */
  leave(state: FlowState): void;
  /** An attempt has a result, or the flow ends. */
  attemptEnded(): void;
}

/** When the wait at a place ends by itself: to look again, or to give up. */
function nextLookMs(place: ParkingPlace, sinceMs: number): number {
  const waitMs = place.lookAgainAfterMs?.(Date.now() - sinceMs);
  const againMs = waitMs === undefined ? Infinity : withJitter(waitMs, Math.random);
  return Math.min(sinceMs + GIVE_UP_AFTER_MS, Date.now() + againMs);
}

/** What the parking lot needs of its flow. */
interface LotContext {
  /** The pending call of a step that was adopted on evidence or by a person's word. */
  readonly adopted: (step: string) => CallFacts | undefined;
  readonly wakes: WakeCount;
  readonly eventLooks: EventLooks;
  readonly settings: RunningSettings;
}

/** Sets the handlers of `settleCharge` and `resume`. */
export function openParkingLot({ adopted, wakes, eventLooks, settings }: LotContext): ParkingLot {
  let parked: ParkingPlace | undefined;
  let verdict: Verdict | undefined;
  let recording = false;
  const results = createAttemptResults();
  const targetOf = (input: SettleChargeInput): ReturnType<typeof decisionTarget> =>
    decisionTarget(input, { place: parked, adopted: adopted(input.step) });
  const refuseWhileDeciding = (): void => {
    refuse(recording || verdict !== undefined ? 'another decision is being recorded' : undefined);
  };

  const record = async (intentId: string | undefined, input: SettleChargeInput): Promise<void> => {
    recording = true;
    try {
      await recordDecision(intentId ?? '', input);
    } finally {
      recording = false;
    }
  };

  const decideParked = async (input: SettleChargeInput): Promise<void> => {
    const place = parked;
    const isHere = (): boolean => parked?.intentId === place?.intentId && parked?.note.step === input.step;
    try {
      await record(place?.intentId, input);
    } catch (error) {
      // The ledger refused, so what is shown is out of date: look again.
      if (isHere()) verdict = { by: 'wake' };
      throw error;
    }
    if (isHere()) verdict = { by: 'decision', decision: input };
  };
  const decideAdopted = async (input: SettleChargeInput): Promise<void> => {
    try {
      await record(adopted(input.step)?.intentId, input);
    } finally {
      // The ledger knows more now: every wait looks again.
      wakes.add();
      // The charge comes before whatever else the step is parked on.
      if (parked?.note.step === input.step) verdict = { by: 'wake' };
    }
  };

  setHandler(
    settleChargeUpdate,
    async (input) => {
      await (targetOf(input).about === 'place' ? decideParked(input) : decideAdopted(input));
      return { step: input.step, decision: input.decision };
    },
    {
      description:
        'A person decides about a charge of a parked step: {step, decision: "not-charged"|"charged"|"abandon", intentId?, by, requestId?, note?}',
      validator: (input: SettleChargeInput) => {
        refuse(settleChargeProblem(input));
        const target = targetOf(input);
        if (target.about === 'nothing') refuse(target.problem, NOT_PARKED);
        refuseWhileDeciding();
        refuse(target.about === 'adopted' ? provenPaidProblem(input, target.call) : parked?.decisionProblem?.(input));
      },
    },
  );
  setHandler(
    resumeUpdate,
    async ({ maxSpend }) => {
      if (maxSpend !== undefined) settings.raiseCap(maxSpend);
      verdict = { by: 'resume' };
      if (!patched('resume-tells-what-came-of-it')) return { resumed: true };
      await results.next();
      if (parked === undefined) return { resumed: true };
      const { attention, waitingFor, note } = parked;
      return { resumed: false, still: attention, waitingFor, story: note.story };
    },
    {
      description: 'Retry now what the flow is parked on: {by, note?, maxSpend?}',
      validator: (input: ResumeInput) => {
        refuse(resumeProblem(input));
        refuse(updateProblem(parked, UPDATE_RESUME), NOT_PARKED);
        refuse(raisedCapProblem(input, settings.now().maxSpend));
        refuseWhileDeciding();
      },
    },
  );

  const isElsewhere = ({ intentId, note }: ParkingPlace): boolean =>
    parked !== undefined && (parked.intentId !== intentId || parked.note.step !== note.step);

  return {
    wait: async (place, sinceMs) => {
      // A verdict counts only at its place: where a person has to allow a purchase, one from before must not.
      if (verdict !== undefined && isElsewhere(place) && patched('verdicts-stay-at-their-place')) verdict = undefined;
      parked = place;
      results.add();
      const wakesSeen = place.wakesSeen ?? wakes.all();
      const woken = (): boolean => place.accepts.includes('wake') && wakes.all() > wakesSeen && !recording;
      const moved = await condition(
        () => verdict !== undefined || woken(),
        Math.max(nextLookMs(place, sinceMs) - Date.now(), 1),
        { summary: `parked (${place.attention}): waits for a person` },
      );
      if (moved && verdict === undefined) await eventLooks.take(() => verdict !== undefined);
      // A decision that is being recorded when the time runs out still counts.
      await condition(() => !recording);
      const given = verdict;
      verdict = undefined;
      if (given !== undefined) return given;
      if (moved) return { by: 'wake' };
      return Date.now() >= sinceMs + GIVE_UP_AFTER_MS ? undefined : { by: 'timer' };
    },
    place: () => parked,
    leave: (state) => {
      parked = undefined;
      verdict = undefined;
      results.enter(state);
    },
    attemptEnded: results.add,
  };
}

/** Throws the ledger's own refusal, so that the sender of the update does not read only that an activity failed. */
async function recordDecision(
  intentId: string,
  { step, decision, by, note, requestId }: SettleChargeInput,
): Promise<void> {
  try {
    await freeCalls(`record decision ${decision} on ${step}`).recordDecision({
      intentId,
      decision,
      by,
      ...present({ note, requestId: requestId?.trim().toLowerCase() }),
    });
  } catch (error) {
    throw error instanceof ActivityFailure && error.cause instanceof ApplicationFailure ? error.cause : error;
  }
}

/** For validators: what they throw reaches only the caller and is in no history. */
function refuse(problem: string | undefined, type: 'InvalidInput' | typeof NOT_PARKED = 'InvalidInput'): void {
  if (problem !== undefined) throw ApplicationFailure.nonRetryable(`tramita: ${problem}`, type);
}
