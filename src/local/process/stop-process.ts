/**
 * Stops one process by identity, never by name: the polite signal, a bounded wait, then SIGKILL. A pid that meanwhile
 * belongs to another process is left alone.
 */
import { isAlive, type ProcessIdentity } from './process-identity.js';
import { waitUntil } from './wait-until.js';

/** How long a killed process may take to disappear; more means it hangs in the kernel. */
const KILLED_WITHIN_MS = 5_000;

export interface StopOptions {
  readonly identity: ProcessIdentity;
  /** Default SIGTERM. PostgreSQL wants SIGINT: its SIGTERM waits for clients. */
  readonly signal?: NodeJS.Signals;
  /** How long the process may take to end by itself. Default 10,000. */
  readonly graceMs?: number;
  /** The process leads a group of its own (spawned detached): SIGKILL then takes its children along. */
  readonly leadsGroup?: boolean;
}

export type StopResult = 'already-gone' | 'stopped' | 'killed';

export async function stopProcess(options: StopOptions): Promise<StopResult> {
  const { identity, signal = 'SIGTERM', graceMs = 10_000, leadsGroup = false } = options;
  const what = `the end of process ${identity.pid}`;
  const check = (): boolean => !isAlive(identity);
  if (!signalProcess(identity, signal)) return 'already-gone';
  try {
    await waitUntil({ what, deadlineMs: graceMs, check });
    return 'stopped';
  } catch {
    signalProcess(identity, 'SIGKILL', leadsGroup);
  }
  await waitUntil({ what: `${what} after SIGKILL`, deadlineMs: KILLED_WITHIN_MS, check });
  return 'killed';
}

/** Sends one signal if this is still the same process; says whether it was. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals, leadsGroup = false): boolean {
  if (!isAlive(identity)) return false;
  if (leadsGroup) sendQuietly(-identity.pid, signal);
  const error = sendQuietly(identity.pid, signal);
  if (error === undefined || error.code === 'ESRCH') return error === undefined;
  throw new Error(
    `tramita: process ${identity.pid} cannot be stopped (${error.message}); end it as the user who started it`,
    { cause: error },
  );
}

function sendQuietly(pid: number, signal: NodeJS.Signals): NodeJS.ErrnoException | undefined {
  try {
    process.kill(pid, signal);
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}
