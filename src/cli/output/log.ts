/**
 * Logs of the long-running programs: JSON lines on stderr. Only messages and primitive fields are written. Our own errors are
 * logged with failure type and message; a library's only with name and code, because its text may hold the API key.
 */
import { pino } from 'pino';
import type { LogLevel } from '../../config/index.js';
import { maskPersonalNumbers } from '../../contract/values/index.js';
import { describeError } from '../../http/index.js';
import { harmlessText } from './harmless.js';

type Field = string | number | boolean | null;
type Fields = Readonly<Record<string, Field>>;
type Write = (fields: object, message: string) => void;
export type ProgramLog = Readonly<Record<'trace' | 'debug' | 'info' | 'warn' | 'error', Write>>;

const STDERR = 2;

/** Lines that cannot be written wait in memory, up to this size; further ones are dropped. */
const UNWRITTEN_BYTES = 1_000_000;

/** A log that cannot be written, on a full disk for example, does not stop the program: the next line retries earlier ones. */
export function createLog({ program, level }: { readonly program: string; readonly level: LogLevel }): ProgramLog {
  const stderr = pino.destination({ fd: STDERR, sync: true, maxLength: UNWRITTEN_BYTES });
  return pino(
    {
      level,
      base: { program },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: plainFields },
    },
    stderr.on('error', () => undefined),
  );
}

/** Primitive members only, and name and code of an error. Pure. */
export function plainFields(fields: object): Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]: [string, unknown]): readonly (readonly [string, Field])[] => {
      if (typeof value === 'string') return [[name, harmlessText(value, false)]];
      if (value === null || typeof value === 'number' || typeof value === 'boolean') return [[name, value]];
      return name === 'error' || name === 'err' ? errorFields(name, value) : [];
    }),
  );
}

const OURS = /^tramita: /;
const MAX_MESSAGE = 1_000;
/** The error of a failed flow is caused by that of an activity, which is caused by ours. */
const MAX_DEPTH = 4;

/** `error` and, for our own errors, the failure type. */
function errorFields(name: string, error: unknown): readonly (readonly [string, string])[] {
  for (let cause = error, depth = 0; isObject(cause) && depth < MAX_DEPTH; cause = cause['cause'], depth += 1) {
    const { type, message } = cause;
    if (typeof message !== 'string' || !OURS.test(message)) continue;
    const text = maskPersonalNumbers(withoutQuotes(message)).slice(0, MAX_MESSAGE);
    return [...(typeof type === 'string' ? [['failure', type] as const] : []), [name, text]];
  }
  return [[name, describeError(error, nameOf(error))]];
}

/** Our messages quote the service in parentheses. A quote may name a person, so a log leaves it out. */
function withoutQuotes(message: string): string {
  return message.replace(/ \((?:.*\)|.*$)/s, '');
}

function nameOf(error: unknown): string {
  const name = isObject(error) ? error['name'] : undefined;
  return typeof name === 'string' && /^\w{1,64}$/.test(name) ? name : 'unexpected error';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
