/**
 * A list that is answered 404 may be an empty one. It does not end a flow that has paid for others, nor one where the service
 * has looked. A 404 without the service's error code or ids stays a failure: a gateway that has lost its routes says so too.
 */
import { ApplicationFailure } from '@temporalio/common';
import { patched } from '@temporalio/workflow';
import type { CallOutcome, ReadingFor } from '../../protocol/index.js';
import type { Flow } from '../flow/flow.js';
import { lastOutcome, reportsCharge } from '../flow/flow-record.js';
import { runChargedStep, type DoneCall } from '../step/charged-step.js';
import type { ChargedStep } from '../step/step-run.js';

export interface Missing {
  readonly missing: true;
  /** The answer reports a consumption: the service looked, and found nothing. Otherwise the 404 may be about the arguments. */
  readonly looked: boolean;
  readonly askedAtMs: number;
}

export async function unlessMissing<const Step extends ChargedStep>(
  flow: Flow,
  step: Step,
): Promise<DoneCall<ReadingFor<Step>> | Missing> {
  try {
    return await runChargedStep(flow, step);
  } catch (error) {
    if (!(error instanceof ApplicationFailure) || error.type !== 'NotFound') throw error;
    const outcome = refusalOf(flow, step);
    if (outcome === undefined || !isAnswer(outcome)) throw error;
    const looked = reportsConsumption(outcome);
    if (!(looked || flow.paid()) || !patched('missing-lists-are-empty')) throw error;
    return { missing: true, looked, askedAtMs: outcome.openedAtMs ?? Date.now() };
  }
}

/** How the refused call ended. The newest record may be of a free read; runs from before this patch took even that. */
export function refusalOf(flow: Flow, { step }: ChargedStep): CallOutcome | undefined {
  const { records } = flow.book();
  const newest = records.at(-1);
  return newest?.step === step || !patched('refusals-are-of-their-step') ? newest?.outcome : lastOutcome(records, step);
}

function isAnswer(outcome: CallOutcome): boolean {
  return outcome.metaRequestId !== undefined || outcome.errorCode !== undefined || reportsConsumption(outcome);
}

function reportsConsumption(outcome: CallOutcome): boolean {
  return outcome.searchLogId !== undefined || reportsCharge(outcome);
}
