/**
 * A charged call whose work ends within seconds is completed when it has: its slot is free while it waits, so that the account's
 * `concurrency` stays one of calls. A worker that dies meanwhile has reported nothing: the flow asks the ledger when the time of the
 * call is over (docs/decisions/0068).
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompleteAsyncError, Context } from '@temporalio/activity';
import { ActivityNotFoundError } from '@temporalio/client';
import { briefWork, endBriefly, type ActivityDeps, type ActivityLog, type LookAtWork } from '../activities/index.js';
import { JSON_DEADLINE_MS, nameOfError } from '../contract/values/index.js';
import type { ChargedActivities, ChargedActivity, ChargedCallResult } from '../protocol/index.js';
import { eachCharged } from './each-charged.js';

const TRY_AGAIN_MS = 1_000;

export interface BriefWaits {
  /** The same activities; called by a worker, they may end after they have returned. */
  readonly charged: (charged: ChargedActivities) => ChargedActivities;
  /** Hands what still waits to its flows. */
  readonly stop: () => Promise<void>;
}

interface GivenTo {
  readonly deps: Pick<ActivityDeps, 'catalogue' | 'clock' | 'mayLookSoon'>;
  readonly look: LookAtWork;
  readonly log: ActivityLog;
}

export function createBriefWaits({ deps, look, log }: GivenTo): BriefWaits {
  const waits = new Set<Promise<void>>();
  const stopping = new AbortController();
  const stopped = stopping.signal;
  // Each wait listens, however many there are.
  setMaxListeners(0, stopped);
  const wrap =
    (call: ChargedActivity, operation: string): ChargedActivity =>
    async (input) => {
      const startedMs = performance.now();
      const result = await call(input);
      const work = briefWork(deps, { operation, input, result, tookMs: performance.now() - startedMs });
      if (work === undefined || stopped.aborted) return result;
      const { workflowId } = input;
      const tell = tellerOf(Context.current(), workflowId, startedMs + JSON_DEADLINE_MS);
      const reporting = endBriefly(deps, work, {
        look: (asked, signal) => look(asked, { signal, workflowId }),
        stopped,
      })
        .then(tell)
        .catch((error: unknown) => {
          log.warn(
            { operation, error: nameOfError(error) },
            'the end of a call could not be reported; its flow asks the ledger',
          );
        });
      waits.add(reporting);
      void reporting.finally(() => waits.delete(reporting));
      // For the span of the call, which ends here.
      throw Object.assign(new CompleteAsyncError(), { result });
    };
  return {
    charged: (charged) => eachCharged(charged, wrap),
    stop: async () => {
      stopping.abort();
      await Promise.allSettled(waits);
    },
  };
}

/** What it returns throws when Temporal does not take the result within the time of the call. */
function tellerOf(
  { client, info }: Context,
  workflowId: string,
  untilMs: number,
): (result: ChargedCallResult) => Promise<void> {
  const { namespace, activityId, taskToken } = info;
  const serializationContext = { type: 'activity', namespace, activityId, workflowId, isLocal: false } as const;
  return async (result) => {
    for (;;) {
      try {
        await client.activity.complete(taskToken, result, { serializationContext });
        return;
      } catch (error) {
        // The flow was ended meanwhile, or the time of its call is over.
        if (error instanceof ActivityNotFoundError) return;
        if (performance.now() > untilMs) throw error;
        await sleep(TRY_AGAIN_MS);
      }
    }
  };
}
