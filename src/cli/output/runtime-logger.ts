/** The SDK's log, written through ours: messages, and only those attributes that are known to be harmless. */
import type { LogEntry } from '@temporalio/worker';
import type { ProgramLog } from './log.js';

/** Everything else is dropped, and our log reduces `error`: the SDK's default logger prints whole objects. */
const ALLOWED = [
  'sdkComponent',
  'namespace',
  'taskQueue',
  'workflowType',
  'workflowId',
  'runId',
  'activityType',
  'activityId',
  'attempt',
  'intentId',
  'failure',
  'state',
  'error',
] as const;

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** For the SDK's `DefaultLogger`. */
export function writeTo(log: ProgramLog): (entry: LogEntry) => void {
  return ({ level, message, meta = {} }) =>
    log[LEVELS[level]](
      Object.fromEntries(ALLOWED.filter((name) => name in meta).map((name) => [name, meta[name] as unknown])),
      message,
    );
}
