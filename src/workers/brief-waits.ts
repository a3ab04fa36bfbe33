/**
 * A charged call whose work ends within seconds waits for that end and is completed asynchronously. It holds no slot while it
 * waits, so the account's `concurrency` counts calls and not waits. If the worker dies meanwhile, the flow asks the ledger when
 * the time of the call is over (docs/decisions/0068).
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompleteAsyncError, Context } from '@temporalio/activity';
import { ActivityNotFoundError } from '@temporalio/client';
import {
  briefWork,
  currentAsker,
  endBriefly,
  type ActivityDeps,
  type ActivityLog,
  type LookAtWork,
} from '../activities/index.js';
import { JSON_DEADLINE_MS, nameOfError } from '../contract/values/index.js';
import type { ChargedActivities, ChargedActivity, ChargedCallResult } from '../protocol/index.js';
import { eachCharged } from './each-charged.js';

const TRY_AGAIN_MS = 1_000;

export interface BriefWaits {
  /** The same activities. Only a worker may call them: they may be completed asynchronously. */
  readonly charged: (charged: ChargedActivities) => ChargedActivities;
  /** Hands work that is still pending to its flows. */
  readonly stop: () => Promise<void>;
}

interface BriefWaitParts {
  readonly deps: Pick<ActivityDeps, 'catalogue' | 'clock' | 'mayLookSoon'>;
  readonly look: LookAtWork;
  readonly log: ActivityLog;
}

export function createBriefWaits({ deps, look, log }: BriefWaitParts): BriefWaits {
  const waits = new Set<Promise<void>>();
  const stopping = new AbortController();
  const stopped = stopping.signal;
  // Each wait adds a listener; their number is not limited.
  setMaxListeners(0, stopped);
  const wrap =
    (call: ChargedActivity, operation: string): ChargedActivity =>
    async (input) => {
      const startedMs = performance.now();
      const result = await call(input);
      const work = briefWork(deps, { operation, input, result, tookMs: performance.now() - startedMs });
      if (work === undefined || stopped.aborted) return result;
      const { workflowId } = input;
      const { activity } = currentAsker(input);
      const report = createReport(Context.current(), workflowId, startedMs + JSON_DEADLINE_MS);
      const reporting = endBriefly(deps, work, {
        look: (pending, signal) => look(pending, { signal, workflowId, activity }),
        stopped,
      })
        .then(report)
        .catch((error: unknown) => {
          log.warn(
            { operation, error: nameOfError(error) },
            'the end of a call could not be reported; its flow asks the ledger',
          );
        });
      waits.add(reporting);
      void reporting.finally(() => waits.delete(reporting));
      // The result is for the trace span of the call, which ends here.
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

/** The function that it returns rejects if Temporal does not accept the result within the time of the call. */
function createReport(
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
