/**
 * Checks the options of a test before anything starts. A misspelt option would be ignored silently, and a misspelt check of
 * money would pass.
 */
import {
  A_FUNCTION,
  A_TEXT,
  AN_OBJECT,
  TRUE_OR_FALSE,
  optionsProblem,
  type OptionForm,
} from '../../contract/values/index.js';
import type { NothingPaidTwice, TestServerAddresses, TestStackOptions } from './types.js';

type Forms<Options> = Readonly<Record<keyof Options, OptionForm>>;

const STACK: Forms<TestStackOptions> = {
  servers: AN_OBJECT,
  worker: TRUE_OR_FALSE,
  sandbox: AN_OBJECT,
  env: AN_OBJECT,
  settings: AN_OBJECT,
  onProgress: A_FUNCTION,
};

const SERVERS: Forms<Pick<TestStackOptions, 'onProgress'>> = { onProgress: A_FUNCTION };

/** A client would refuse a wrong address as well, but would not say which option it is. */
const ADDRESSES: Forms<TestServerAddresses> = {
  temporalAddress: A_TEXT,
  databaseUrl: {
    expected: 'the address of a PostgreSQL, like "postgresql://user:password@127.0.0.1:5432/postgres"',
    takes: (value) => typeof value === 'string' && /^postgres(ql)?:\/\//.test(value) && URL.canParse(value),
  },
};

const PAID_TWICE: Forms<NothingPaidTwice> = {
  sameCall: { expected: '"once" or "as-asked"', takes: (value) => value === 'once' || value === 'as-asked' },
};

export function checkStackOptions(options: TestStackOptions): void {
  refuse(optionsProblem('options of createTestStack', options, STACK));
  const { servers } = options;
  if (servers === undefined) return;
  const names = Object.keys(ADDRESSES) as (keyof TestServerAddresses)[];
  const missing = names.find((name) => (servers as Partial<TestServerAddresses>)[name] === undefined);
  refuse(optionsProblem('servers', servers, ADDRESSES));
  refuse(missing === undefined ? undefined : `servers.${missing} is missing; expected ${ADDRESSES[missing].expected}`);
}

export function checkServersOptions(options: Pick<TestStackOptions, 'onProgress'>): void {
  refuse(optionsProblem('options of startTestServers', options, SERVERS));
}

export function checkNothingPaidTwice(options: NothingPaidTwice): void {
  refuse(optionsProblem('options of assertNothingPaidTwice', options, PAID_TWICE));
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new TypeError(`tramita: ${problem}`);
}
