/** The SDK's logger, which writes through ours: messages, and only those attributes that are known to be harmless. */
import type { Logger, LogLevel, LogMetadata } from '@temporalio/common';
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

export function createRuntimeLogger(log: ProgramLog): Logger {
  const write = (level: LogLevel, message: string, meta: LogMetadata = {}): void =>
    log[LEVELS[level]](
      Object.fromEntries(ALLOWED.filter((name) => name in meta).map((name) => [name, meta[name] as unknown])),
      message,
    );
  return {
    log: write,
    trace: (message, meta) => write('TRACE', message, meta),
    debug: (message, meta) => write('DEBUG', message, meta),
    info: (message, meta) => write('INFO', message, meta),
    warn: (message, meta) => write('WARN', message, meta),
    error: (message, meta) => write('ERROR', message, meta),
  };
}
