/** The worker's connection to Temporal: waits for a server that is not there yet, within a bound. */
import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import type { TemporalConnection } from '../config/index.js';

const AGAIN_AFTER_MS = 500;

/** Tries until `waitMs` has passed: `NativeConnection.connect` fails at once while the server is down. */
export async function connectNative(temporal: TemporalConnection, waitMs: number): Promise<NativeConnection> {
  const deadlineMs = Date.now() + waitMs;
  for (;;) {
    try {
      return await NativeConnection.connect(temporal.connectionOptions);
    } catch {
      if (Date.now() > deadlineMs) {
        throw new Error(
          `tramita: no Temporal server at ${temporal.address} after ${Math.round(waitMs / 1_000)} s; set TEMPORAL_ADDRESS or start one with "tramita up"`,
        );
      }
      await sleep(AGAIN_AFTER_MS);
    }
  }
}
