/**
 * Logs of the long-running programs: JSON lines on stderr. Only messages and plain fields are written; an object, above all
 * an error of a library, is never inspected, because it may hold the API key.
 */
import { pino } from 'pino';
import type { LogLevel } from '../../config/index.js';
import { describeError } from '../../http/index.js';
import { harmlessText } from './harmless.js';

type Field = string | number | boolean | null;
type Fields = Readonly<Record<string, Field>>;
type Write = (fields: object, message: string) => void;
export type ProgramLog = Readonly<Record<'trace' | 'debug' | 'info' | 'warn' | 'error', Write>>;

const STDERR = 2;

export function createLog({ program, level }: { readonly program: string; readonly level: LogLevel }): ProgramLog {
  const logger = pino(
    {
      level,
      base: { program },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ fd: STDERR, sync: true }),
  );
  const write = (name: keyof ProgramLog) => (fields: object, message: string) =>
    logger[name](plainFields(fields), message);
  return {
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}

/** Primitive members only; of an error its name and code. Pure. */
export function plainFields(fields: object): Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]: [string, unknown]): readonly [string, Field][] => {
      if (typeof value === 'string') return [[name, harmlessText(value, false)]];
      if (value === null || typeof value === 'number' || typeof value === 'boolean') return [[name, value]];
      return name === 'error' || name === 'err' ? [[name, describeError(value)]] : [];
    }),
  );
}
