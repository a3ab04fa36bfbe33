/** The worker's connection to Temporal: says so and waits for a server that is not there yet, within a bound. */
import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import type { TemporalConnection } from '../config/index.js';
import { connectionProblem } from '../temporal-client/index.js';

const AGAIN_AFTER_MS = 500;

/**
 * Tries until `waitMs` has passed: `NativeConnection.connect` fails at once while the server is down. A certificate that is
 * refused ends it at once.
 */
export async function connectNative(
  temporal: TemporalConnection,
  { waitMs, log }: { readonly waitMs: number; readonly log: { warn(fields: object, message: string): void } },
): Promise<NativeConnection> {
  const deadlineMs = Date.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await NativeConnection.connect(temporal.connectionOptions);
    } catch {
      const { text, isFinal } = await connectionProblem(temporal);
      if (isFinal || Date.now() > deadlineMs) throw new Error(`tramita: ${text}`);
      if (isFirst) log.warn({}, `${text}: waiting for it, ${waitMs / 1_000} s at most`);
      await sleep(AGAIN_AFTER_MS);
    }
  }
}
