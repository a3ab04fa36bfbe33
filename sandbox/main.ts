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

function readOptions(argv: readonly string[]): SandboxOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      port: { type: 'string' },
      'documents-port': { type: 'string' },
      'data-dir': { type: 'string' },
      'refresh-ms': { type: 'string' },
      'slow-refresh-ms': { type: 'string' },
      seed: { type: 'string' },
      'opening-balance': { type: 'string' },
      corpus: { type: 'string' },
      'per-minute': { type: 'string' },
      dialect: { type: 'string' },
      'tls-port': { type: 'string' },
      'webhook-host': { type: 'string', multiple: true },
    },
  });
  const hosts = (values['webhook-host'] ?? []).map((pair): [string, string] => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  const perMinute = numberOf(values['per-minute']);
  // Checked by the settings' own schema, like everything else.
  const given = {
    port: numberOf(values.port),
    documentsPort: numberOf(values['documents-port']),
    tlsPort: numberOf(values['tls-port']),
    dataDir: values['data-dir'],
    refreshMs: numberOf(values['refresh-ms']),
    slowRefreshMs: numberOf(values['slow-refresh-ms']),
    seed: values.seed,
    openingBalance: values['opening-balance'],
    webhookHostMap: Object.fromEntries(hosts),
    corpus: values.corpus,
    rateLimits: perMinute === undefined ? undefined : { perMinute },
    dialect: values.dialect === undefined ? undefined : (JSON.parse(values.dialect) as unknown),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
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

async function run(): Promise<void> {
  const starting = startSandbox(readOptions(process.argv.slice(2)));
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    void starting.then((sandbox) => sandbox.close()).then(() => process.exit(0));
  };
  // Before anything is printed: a reader of the first line may stop us at once.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.stdout.write(`${describe(await starting)}\n`);
}

run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  process.exit(1);
});
