/**
 * Work that the service has just accepted may end within seconds. So the call itself polls it briefly, while its row is already
 * pending. If the answer comes, it ends the call, and the flow needs no timer, no poll and no further task. Otherwise the flow
 * gets pending work (docs/decisions/0068).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { pollDelayMs } from '../../http/index.js';
import { present, withJitter } from '../../contract/index.js';
import type { AwaitFinalInput, AwaitFinalResult, ChargedCallInput, ChargedCallResult } from '../../protocol/index.js';
import type { LedgerDeps, ServiceDeps } from '../deps.js';
import { mayEndInFile } from '../charged/stored-file.js';

/** Longest wait before a look, and longest sum of these waits. */
const BRIEF_MS = 5_000;
/** A call that took longer leaves too little of its 60 s for looks. */
const CALL_AT_MOST_MS = 3_000;
/** A look that hangs is aborted; the flow makes the next one. */
const LOOKS_AT_MOST_MS = 20_000;

type Pending = Extract<ChargedCallResult, { outcome: 'PENDING' }>;

interface Waiting {
  readonly look: (work: AwaitFinalInput, signal: AbortSignal) => Promise<AwaitFinalResult>;
  /** The worker shuts down. */
  readonly stopped: AbortSignal;
  /** Replaces the timer in tests. */
  readonly wait?: (ms: number, value: undefined, options: { readonly signal: AbortSignal }) => Promise<unknown>;
}

export interface BegunCall {
  readonly operation: string;
  readonly input: ChargedCallInput;
  readonly pending: Pending & { readonly intentId: string };
}

/** The work of a call that may end soon; undefined if the flow has to wait: for a webhook, for a file, or for long. */
export function briefWork(
  { catalogue }: Pick<ServiceDeps, 'catalogue'>,
  call: Omit<BegunCall, 'pending'> & { readonly result: ChargedCallResult; readonly tookMs: number },
): BegunCall | undefined {
  const { operation, input, result, tookMs } = call;
  if (result.outcome !== 'PENDING' || result.reused || !result.settled) return undefined;
  const { intentId, webhookExpected, eventSeen, unexpected, hintMs } = result;
  if (intentId === undefined || webhookExpected || eventSeen || unexpected !== undefined) return undefined;
  if ((hintMs ?? 0) > BRIEF_MS || tookMs > CALL_AT_MOST_MS) return undefined;
  if (mayEndInFile(catalogue.operationOf(operation))) return undefined;
  return { operation, input, pending: { ...result, intentId } };
}

/** `DONE`, or the pending work for which the flow waits. Never rejects. */
export async function endBriefly(
  { clock, mayLookSoon }: Pick<ServiceDeps, 'clock'> & Pick<LedgerDeps, 'mayLookSoon'>,
  { operation, input, pending }: BegunCall,
  { look, stopped, wait = sleep }: Waiting,
): Promise<ChargedCallResult> {
  const { account, params, body, target, view } = input;
  const { intentId, requestId, sinceMs, hintMs } = pending;
  const work = { account, operation, params, intentId, sinceMs, ...present({ body, target, view, requestId }) };
  const signal = AbortSignal.timeout(LOOKS_AT_MOST_MS);
  const untilMs = clock.monotonicMs() + BRIEF_MS;
  let waitMs = withJitter(pollDelayMs({ hintMs, waitedMs: 0 }), Math.random);
  for (;;) {
    const inTime = clock.monotonicMs() + waitMs <= untilMs;
    if (!inTime || !(await mayLookSoon(account).catch(() => false))) return { ...pending, hintMs: waitMs };
    try {
      await wait(waitMs, undefined, { signal: stopped });
      return endOf(pending, await look(work, signal));
    } catch (error) {
      const againMs = error instanceof ApplicationFailure ? error.nextRetryDelay : undefined;
      if (typeof againMs !== 'number' || stopped.aborted) return { ...pending, hintMs: 0 };
      waitMs = againMs;
    }
  }
}

/**
 * Only an answer ends the call. What a refusal or a lost answer means is decided by the flow, which finds the settled row at its
 * first look.
 */
function endOf(pending: Pending, seen: AwaitFinalResult): ChargedCallResult {
  const unexpected = 'unexpected' in seen ? seen.unexpected : undefined;
  const { caseAttribute, floorRead } = pending;
  return seen.kind === 'settled' && seen.call.outcome === 'DONE'
    ? { ...seen.call, ...present({ unexpected, caseAttribute, floorRead }) }
    : { ...pending, hintMs: 0, ...present({ unexpected }) };
}
