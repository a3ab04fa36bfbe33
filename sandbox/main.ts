/**
 * The sandbox as a program: `node dist/sandbox/main.js --port 8790 --data-dir …`. Its first line is machine-readable:
 * `sandbox ready {"url":…,"documentsUrl":…,"controlUrl":…,"tlsUrl":…}`; the rest is for people. SIGTERM and SIGINT stop it cleanly.
 */
import { parseArgs } from 'node:util';
import { formatCnj } from '../src/contract/index.js';
import { API_KEYS, LAWYERS, PERSONAS, startSandbox, TAX_IDS, type Sandbox, type SandboxOptions } from './index.js';

const USAGE = `usage: main.js [--port N] [--documents-port N] [--data-dir DIR] [--refresh-ms N] [--slow-refresh-ms N]
               [--seed TEXT] [--opening-balance "1000"] [--webhook-host HOST=http://127.0.0.1:PORT]…
               [--corpus tiny|firm|mass] [--per-minute N] [--dialect JSON] [--tls-port N]
`;

const TEXTS = ['data-dir', 'seed', 'opening-balance', 'corpus'];
const NUMBERS = ['port', 'documents-port', 'tls-port', 'refresh-ms', 'slow-refresh-ms'];

/** Flags are named after the options; the schema of the settings validates their values. */
function readOptions(argv: readonly string[]): SandboxOptions {
  const plain = [...TEXTS, ...NUMBERS, 'dialect'].map((name) => [name, { type: 'string' as const }] as const);
  const options = {
    ...Object.fromEntries(plain),
    'webhook-host': { type: 'string', multiple: true },
    'per-minute': { type: 'string' },
  } as const;
  const { values } = parseArgs({ args: [...argv], options });
  const { 'webhook-host': hosts = [], 'per-minute': perMinute, ...given } = values;
  const named = Object.entries(given).map(([name, text]): [string, unknown] => {
    const value = name === 'dialect' ? jsonIn(name, String(text)) : NUMBERS.includes(name) ? numberIn(text) : text;
    return [name.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase()), value];
  });
  return {
    ...Object.fromEntries(named),
    webhookHostMap: Object.fromEntries(
      [hosts].flat().map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
    ...(perMinute === undefined ? {} : { rateLimits: { perMinute: numberIn(perMinute) as number } }),
  };
}

function jsonIn(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`--${name} is no JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** What is no number stays a text, which the schema refuses and shows. */
function numberIn(text: unknown): unknown {
  const number = Number(text);
  return Number.isNaN(number) || String(text).trim() === '' ? text : number;
}

function describe(sandbox: Sandbox): string {
  const { url, documentsUrl, controlUrl, tlsUrl } = sandbox;
  const fault = `{"operation":"requestRefresh","fault":"F4","times":1}`;
  const post = (path: string, body: string): string =>
    `  curl -s ${controlUrl}${path} -H 'content-type: application/json' -d '${body}'`;
  return [
    `sandbox ready ${JSON.stringify({ url, documentsUrl, controlUrl, tlsUrl })}`,
    '',
    `An imitation of the service at ${url}: all data is fictional. Described at ${url}/openapi.json`,
    `keys      ${API_KEYS.works} (works) · ${API_KEYS.forbidden} (403) · ${API_KEYS.empty} (no balance: 402)`,
    `try       curl -s ${url}/v1/conta/saldo -H 'x-api-key: ${API_KEYS.works}'`,
    'cases (any other valid number is an ordinary case)',
    ...PERSONAS.map((persona) => `  ${formatCnj(persona.cnj)}  ${persona.name.padEnd(18)} ${persona.does}`),
    'lawyers and documents (any other is ordinary)',
    ...LAWYERS.map(({ oab, name, does }) => `  ${oab.padEnd(25)}  ${name.padEnd(18)} ${does}`),
    ...TAX_IDS.map(({ taxId, name, does }) => `  ${taxId.padEnd(25)}  ${name.padEnd(18)} ${does}`),
    'inject a fault (GET the same address to see what fired)',
    post('/faults', fault),
    'move the clock by an hour',
    post('/clock', '{"advanceMs":3600000}'),
    `charges   curl -s ${controlUrl}/charges`,
    '',
  ].join('\n');
}

class WrongOptions extends Error {}

function optionsOf(argv: readonly string[]): SandboxOptions {
  try {
    return readOptions(argv);
  } catch (error) {
    throw new WrongOptions((error as Error).message, { cause: error });
  }
}

async function run(): Promise<void> {
  const starting = startSandbox(optionsOf(process.argv.slice(2)));
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    void starting.then((sandbox) => sandbox.close()).then(() => process.exit(0));
  };
  // Installed before anything is printed: a reader of the first line may stop us at once.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.stdout.write(`${describe(await starting)}\n`);
}

run().catch((error: unknown) => {
  const { message } = error as Error;
  const isUsage = error instanceof WrongOptions || message.startsWith('tramita: sandbox options');
  process.stderr.write(`${message.startsWith('tramita: ') ? message : `tramita: ${message}`}\n${isUsage ? USAGE : ''}`);
  process.exit(isUsage ? 2 : 1);
});
