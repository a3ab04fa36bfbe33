/** The worker's connection to Temporal: waits for a server that is not there yet, within a bound. */
import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import type { TemporalConnection } from '../config/index.js';
import { connectionProblem } from '../temporal-client/index.js';

const AGAIN_AFTER_MS = 500;

/**
 * Tries until `waitMs` has passed: `NativeConnection.connect` fails at once while the server is down. A certificate that is
 * refused ends it at once.
 */
export async function connectNative(temporal: TemporalConnection, waitMs: number): Promise<NativeConnection> {
  const deadlineMs = Date.now() + waitMs;
  for (;;) {
    try {
      return await NativeConnection.connect(temporal.connectionOptions);
    } catch {
      const { text, isFinal } = await connectionProblem(temporal);
      if (isFinal || Date.now() > deadlineMs) throw new Error(`tramita: ${text}`);
      await sleep(AGAIN_AFTER_MS);
    }
  }
}
