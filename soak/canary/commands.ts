/** Runs every command that prints, as a person would, at the log level `debug`, and collects the output. */
import { execFile } from 'node:child_process';
import { envOf, TRAMITA } from '../command.js';
import type { Canaries } from './canaries.js';

export interface Printed {
  readonly args: readonly string[];
  readonly code: number;
  readonly output: Buffer;
}

type Env = Readonly<Record<string, string>>;

const MOST_BYTES = 64_000_000;
const ENDS_WITHIN_MS = 60_000;
const AT_ONCE = 2;

/** Runs a command to its end, whatever its exit code, and collects both outputs. `-` among the arguments reads `input`. */
function runAny(env: Env, args: readonly string[], input = ''): Promise<Printed> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [TRAMITA, ...args],
      { env: envOf(env), maxBuffer: MOST_BYTES, timeout: ENDS_WITHIN_MS },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ args, code, output: Buffer.from(`${stdout}\n${stderr}`) });
      },
    );
    child.stdin?.end(input);
  });
}

export async function runAll(
  env: Env,
  commands: readonly (readonly string[])[],
  others: readonly Env[] = [],
): Promise<readonly Printed[]> {
  const printed: Printed[] = [];
  const left = [
    ...commands.map((args) => ({ env, args })),
    ...others.map((more) => ({ env: { ...env, ...more }, args: ['doctor'] })),
  ];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      printed.push(await runAny(next.env, next.args));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return printed;
}

/** Commands that read our own storage. `whole`: all of them, in text and as JSON; otherwise those that print the most. */
export function readsOfStorage(whole: boolean): readonly (readonly string[])[] {
  return whole ? [...TELLING, ...OTHERS].flatMap((args) => [args, [...args, '--json']]) : TELLING;
}

const TELLING: readonly (readonly string[])[] = [
  ...[['doctor'], ['list'], ['ledger', 'list'], ['events', 'list'], ['schedule', 'list']],
];
const OTHERS: readonly (readonly string[])[] = [
  ...[
    ['list', '--attention'],
    ['ledger', 'check'],
    ['ledger', 'reconcile'],
    ['events', 'missed'],
    ['events', 'replay'],
  ],
  ...[['account', 'show'], ['balance'], ['config'], ['lists', 'show'], ['operations'], ['report']],
  ['settle', '--where', 'account=default', '--decision', 'abandon', '--by', 'canary'],
];

/** `ended`: some flows for each kind of end. */
export function readsOfFlows(ended: readonly string[]): readonly (readonly string[])[] {
  return ended.flatMap((workflowId) => [
    ['status', workflowId],
    ['status', workflowId, '--json'],
  ]);
}

/** Mistakes that a person may make, with personal numbers in the wrong places. */
export function mistakes({ cpf, cnpj, oab }: Canaries): readonly (readonly string[])[] {
  const lawyer = `${oab.uf}:${oab.number}`;
  const dotted = `${cpf.slice(0, 3)}.${cpf.slice(3, 6)}.${cpf.slice(6, 9)}-${cpf.slice(9)}`;
  return [
    ['start', 'refreshCase', '--cnj', cpf],
    ['start', 'refreshCase', '--cnj', dotted],
    ['start', 'refreshCase', '--input', `{"cnj":"${cpf}",`],
    ['start', 'refreshCase', '--input', `{"cnj":"${cpf}","once":"${cpf}"}`],
    ['start', 'importLawyerCases', '--input', `{"oab":"${lawyer}/${cnpj}"}`],
    ['start', 'callOperation', '--input', `{"operation":"listCasesByDocument","params":{"cpf_cnpj":"${cpf}0"}}`],
    ['lists', 'load', '-', '--name', cpf],
    ['schedule', 'pause', 'cases', '--note', `asked by ${cpf}`],
    ['schedule', 'add', cpf, 'refreshCase', '--input', `{"cnj":"${cpf}"}`, '--every', '1d'],
  ];
}

/** What a person sets up, with personal data where it belongs. */
export function arrangements({ cpf, oab, name }: Canaries, list: string): readonly (readonly string[])[] {
  const daily = ['--every', '1d', '--paused'];
  const lawyer = `${oab.uf}:${oab.number}`;
  const person = JSON.stringify({ operation: 'listCasesByDocument', params: { cpf_cnpj: cpf } });
  const term = JSON.stringify({ operation: 'searchTerm', params: { q: name } });
  return [
    ['lists', 'load', list, '--name', 'canaries'],
    ['schedule', 'add', 'cases', 'importLawyerCases', '--input', JSON.stringify({ oab: lawyer }), ...daily],
    [
      'schedule',
      'add',
      'notices',
      'syncNotices',
      '--input',
      JSON.stringify({ oabs: [lawyer], since: '2026-09-01' }),
      ...daily,
    ],
    ['start', 'callOperation', '--input', person],
    ['start', 'callOperation', '--input', term],
  ];
}

/** Invalid settings, each with a secret in or beside it: the error must not contain it. */
export function wrongSettings(env: Env, { apiKey }: Canaries): readonly Env[] {
  const database = new URL(env['TRAMITA_DATABASE_URL'] ?? '');
  const elsewhere = new URL(database);
  elsewhere.port = '1';
  const otherName = new URL(database);
  otherName.pathname = '/no_such_database';
  return [
    { TRAMITA_DATABASE_URL: elsewhere.href },
    { TRAMITA_DATABASE_URL: otherName.href },
    { TRAMITA_DATABASE_URL: database.href.replace('postgres', 'post gres') },
    { TEMPORAL_ADDRESS: '127.0.0.1:1' },
    { TRAMITA_API_KEY: `${apiKey} ${apiKey}\n` },
    { TRAMITA_PAYLOAD_KEYS: `k1:${env['TRAMITA_ID_KEY'] ?? ''}` },
    { TRAMITA_API_URL: `https://${apiKey}@example.com:99999` },
    { TRAMITA_WEBHOOK_SECRETS: `${env['TRAMITA_WEBHOOK_SECRETS'] ?? ''},short` },
  ];
}
