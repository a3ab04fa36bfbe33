/** The worker's connection to Temporal: logs that the server is not up yet, and waits for it, for a limited time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import type { TemporalConnection } from '../config/index.js';
import { connectionProblem } from '../temporal-client/index.js';

const AGAIN_AFTER_MS = 500;

/**
 * Tries again until `waitMs` has passed, because `NativeConnection.connect` fails at once while the server is down. Rejects at
 * once if waiting cannot help, for example with a refused certificate.
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
