import { readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../src/cli/program.js';
import { intoNewFile } from '../../src/cli/subject/export-held.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { runCommand } from './run-command.js';

const COMMANDS = [
  ...['demo', 'up', 'worker', 'bridge', 'sandbox', 'migrate', 'start', 'status', 'list', 'settle', 'resume'],
  ...['ledger', 'balance', 'operations', 'config', 'doctor'],
];
/** The database is not there: what is wrong without it is refused without it. */
const NIGHTS = ['portfolio', 'plan', '--list', 'n'];
const CNJ = '1000001-51.2026.8.26.0100';

describe('tramita --help', () => {
  it('lists every command and the exit codes, on stdout, with exit code 0', async () => {
    const { exitCode, out, err } = await runCommand(['--help']);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    for (const command of COMMANDS) expect(out).toMatch(new RegExp(`^  ${command}[ \\n]`, 'm'));
    expect(out).toContain('Exit codes: 0 ok · 1 failed · 2 usage or configuration · 3 needs a person');
  });

  it.each([['help'], ['help', '--help'], ['help', '-h']])('is shown by %s %s', async (...args) => {
    const { exitCode, out, err } = await runCommand(args);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toMatch(/^Usage: tramita \[options\]/);
  });

  it.each(COMMANDS)('is available for %s', async (command) => {
    const { exitCode, out } = await runCommand([command, '--help']);
    expect(exitCode).toBe(0);
    expect(out).toContain(`Usage: tramita ${command}`);
  });

  it.each(COMMANDS.filter((command) => !['sandbox', 'ledger'].includes(command)))(
    'lists the option --json for %s',
    async (command) => {
      expect((await runCommand([command, '--help'])).out).toContain('--json');
    },
  );
});

describe('the option --json', () => {
  it('changes nothing for schema, which always prints JSON', async () => {
    const [json, plain] = [await runCommand(['schema', 'wake', '--json']), await runCommand(['schema', 'wake'])];
    expect(json).toMatchObject({ exitCode: 0, err: '', out: plain.out });
    expect(json.json()).toMatchObject({ type: 'object' });
  });

  it.each([['schema'], ['ledger', 'export'], ['schedule', 'pause'], ['schedule', 'resume'], ['schedule', 'remove']])(
    'is in the help of %s %s',
    async (...command) => {
      expect((await runCommand([...command, '--help'])).out).toContain('--json');
    },
  );
});

describe('tramita --version', () => {
  it.each(['--version', '-V'])('%s prints the version of the package, with exit code 0', async (flag) => {
    const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as { version: string };
    const { exitCode, out, err } = await runCommand([flag]);
    expect({ exitCode, out, err }).toEqual({ exitCode: 0, out: `${version}\n`, err: '' });
  });
});

describe('a wrong command line', () => {
  it.each([
    ['an unknown command', ['nope'], "unknown command 'nope'"],
    ['an unknown option', ['list', '--nope'], "unknown option '--nope'"],
    ['a missing argument', ['status'], "missing required argument 'workflow id'"],
    ['a missing option', ['settle', 'w', '--step', 's', '--decision', 'abandon'], "required option '--by <who>'"],
    ['an unknown flow', ['start', 'nope'], 'there is no flow "nope"; known: refreshCase'],
    ['input that is no JSON', ['start', 'refreshCase', '--input', '{'], "is no JSON: Expected property name or '}' in"],
    ['input that is a list', ['start', 'refreshCase', '--input', '[]'], '--input: expected one JSON object'],
    ['input that is a number', ['plan', 'refreshCase', '--input', '5'], '\'{"cnj":"…"}\'; seen: 5'],
    [
      'input of a schedule that ends early',
      ['schedule', 'add', 'n', 'auditMonitors', '--input', '', '--every', '1h'],
      '--input: expected one JSON object; it is no JSON: Unexpected end of JSON input',
    ],
    ['no case number', ['list', '--case', '5'], '--case'],
    ['nobody who asks', ['start', 'refreshCase', '--cnj', CNJ, '--wait', '--by', ' '], '--by is empty'],
    ['a person who asks by number', ['status', 'w', '--by', 'CPF 111.444.777-35'], '--by contains what may be'],
    [
      'a name with a personal number',
      ['account', 'move', '--account', 'default', '--to', 'https://a.example', '--by', '111.444.777-35'],
      '--by',
    ],
    [
      'a note with nothing to keep it',
      ['schedule', 'remove', 'n', '--note', 'merged with mondays'],
      '--note: a note is kept with its schedule, and "remove" deletes both; leave it out',
    ],
    ['a note with a personal number', ['schedule', 'pause', 'n', '--note', 'CPF 111.444.777-35'], '--note'],
    [
      'a flag against the input',
      ['start', 'refreshCase', '--cnj', CNJ, '--input', '{"cnj":"1"}'],
      '--input and a flag give different values for "cnj"',
    ],
    [
      'a decision that does not exist',
      ['settle', 'w', '--step', 's', '--decision', 'maybe', '--by', 'ana'],
      'decision must be one of not-charged, charged, abandon; seen: "maybe"',
    ],
    [
      'a request id without "charged"',
      [
        'settle',
        'w',
        '--step',
        's',
        '--decision',
        'abandon',
        '--by',
        'ana',
        '--request-id',
        '8c808a05-df12-416a-8ea0-ef721816a918',
      ],
      'requestId is allowed only with decision "charged"',
    ],
    ['a blank name of the person', ['resume', 'w', '--by', ' '], 'by must be a non-empty string'],
    ['an unknown ledger state', ['ledger', 'list', '--state', 'paid'], '--state: seen "paid"; expected one of open'],
    ['a limit that is no number', ['ledger', 'list', '--limit', 'all'], 'expected a whole number'],
    ['a limit of zero', ['list', '--limit', '0'], 'expected a whole number from 1'],
    ['an unknown command', ['nope'], "unknown command 'nope'; --help lists the commands"],
    ['a command with a typing error', ['statis', 'w'], "unknown command 'statis' (Did you mean status?)"],
    ['an unknown command of help', ['help', 'nope'], "unknown command 'nope'; --help lists the commands"],
    ['an unknown part of a command', ['ledger', 'nope'], "unknown command 'nope'; --help lists the commands"],
    [
      'a file that is not there',
      ['lists', 'load', '/no/list', '--name', 'n'],
      '/no/list: cannot be read (ENOENT); exp',
    ],
    ['a name that no list may have', ['lists', 'load', '-', '--name', 'a b'], '--name: seen "a b"; expected 1 to 80'],
    [
      'an interval that is no duration',
      ['schedule', 'add', 'n', 'auditMonitors', '--input', '{}', '--every', '5'],
      '--every: seen "5"; expected a duration',
    ],
    ['an unknown account', ['balance', '--account', 'other'], 'no account "other"; configured: default'],
    [
      'days in the wrong order',
      ['ledger', 'export', '--json', '--from', '2026-03-11', '--to', '2026-03-10'],
      '--from: seen "2026-03-11", which is not before --to "2026-03-10"',
    ],
    [
      'a budget that is no amount',
      [...NIGHTS, '--budget', 'much', '--by', '2100-01-01'],
      'budget: seen "much"; expected an amount above zero',
    ],
    ['a last night that is no day', [...NIGHTS, '--budget', '1', '--by', 'soon'], 'by: seen "soon"; expected a day'],
    ['a last night in the past', [...NIGHTS, '--budget', '1', '--by', '2020-01-01'], 'expected a day from tomorrow on'],
    [
      'a plan for an unknown account',
      [...NIGHTS, '--budget', '1', '--by', '2100-01-01', '--account', 'other'],
      'account "other" is not configured; configured accounts: default',
    ],
    ['an export without a format', ['ledger', 'export'], "required option '--format <format>' not specified"],
  ])('gives exit code 2 and one clear line on stderr: %s', async (_what, args, message) => {
    const { exitCode, out, err } = await runCommand(args);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toContain(message);
    expect(err).toMatch(/^tramita: [^\n]*\n(Usage|\(|$)?/);
    expect(err.trim().split('\n')).toHaveLength(1);
  });
});

describe('a wrong environment', () => {
  it.each([
    ['worker', { TRAMITA_TASK_QUEUE: 'a b' }, 'TRAMITA_TASK_QUEUE: seen "a b"; expected a name'],
    ['bridge', { TRAMITA_BRIDGE_LISTEN: '8788' }, 'TRAMITA_BRIDGE_LISTEN: seen "8788"; expected host:port'],
    ['config', { TRAMITA_MAX_SPEND_PER_DAY: '1,50' }, 'TRAMITA_MAX_SPEND_PER_DAY'],
    ['doctor', { TRAMITA_LOG_LEVEL: 'loud' }, 'TRAMITA_LOG_LEVEL: seen "loud"; expected one of'],
    ['migrate', { TRAMITA_DATABSE_URL: 'x' }, 'did you mean TRAMITA_DATABASE_URL?'],
    ['config', { TRAMITA_CONFIG: '/nowhere.json' }, 'TRAMITA_CONFIG: seen "/nowhere.json", which cannot be read'],
    ['config', { TEMPORAL_CONFIG_FILE: '/nowhere.toml' }, 'TEMPORAL_CONFIG_FILE names a file that does not exist'],
  ])('stops %s with exit code 2 and one line per problem', async (command, env, message) => {
    const { exitCode, out, err } = await runCommand([command], env);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toContain(message);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('stops a worker with all missing variables at once, without any value', async () => {
    const { exitCode, err } = await runCommand(['worker'], { TRAMITA_API_KEY: 'a-key-nobody-sees' });
    expect(exitCode).toBe(2);
    expect(err.trim().split('\n')).toEqual([
      expect.stringMatching(/^tramita: TRAMITA_DATABASE_URL .*is not set/),
      expect.stringMatching(/^tramita: TRAMITA_ID_KEY .*is not set/),
      expect.stringMatching(/^tramita: TRAMITA_API_URL .*is not set/),
    ]);
    expect(err).not.toContain('a-key-nobody-sees');
  });

  it('stops a bridge that could not verify webhooks', async () => {
    const { exitCode, err } = await runCommand(['bridge'], {
      TRAMITA_BRIDGE_DATABASE_URL: 'postgresql://x@127.0.0.1/x',
    });
    expect(exitCode).toBe(2);
    expect(err).toContain('has neither webhook secret nor token, so anyone could post events');
  });

  it.each([
    ['ledger list', ['ledger', 'list'], 'TRAMITA_DATABASE_URL'],
    ['migrate', ['migrate'], 'TRAMITA_DATABASE_URL'],
    ['start', ['start', 'refreshCase', '--cnj', CNJ], 'TRAMITA_ID_KEY'],
    ['ledger reconcile', ['ledger', 'reconcile'], 'TRAMITA_ID_KEY'],
  ])('stops %s with both ways to set a missing variable', async (_name, args, variable) => {
    const { exitCode, err } = await runCommand(args);
    expect(exitCode).toBe(2);
    expect(err).toContain(`tramita: ${variable} (or ${variable}_FILE, the path of a file that holds it) is not set`);
  });
});

describe('an unreachable server', () => {
  const nowhere = { TEMPORAL_ADDRESS: '127.0.0.1:9', TRAMITA_DATABASE_URL: 'postgresql://u:secret@127.0.0.1:9/x' };

  it.each([
    ['list', ['list'], 'no Temporal server answers at 127.0.0.1:9'],
    ['ledger list', ['ledger', 'list'], 'the database of TRAMITA_DATABASE_URL (127.0.0.1:9) does not answer'],
    ['migrate', ['migrate'], 'the database of TRAMITA_DATABASE_URL (127.0.0.1:9) does not answer'],
  ])('makes %s exit with 1 and name the address', async (_name, args, message) => {
    const { exitCode, err } = await runCommand(args, nowhere);
    expect(exitCode).toBe(1);
    expect(err.trim().split('\n')).toEqual([expect.stringContaining(`tramita: ${message}`)]);
    expect(err).not.toContain('secret');
  });

  it.each(['list', 'ledger list', 'events list', 'events replay --after 0', 'events missed', 'lists show'])(
    'does not keep %s from saying that no account has the name of its filter',
    async (command) => {
      const run = (account: string) => runCommand([...command.split(' '), '--account', account], nowhere);
      expect((await run('other')).err).toMatch(
        /^tramita: --account: there is no account "other"; configured: default; what is stored/,
      );
      expect((await run('default')).err).not.toContain('there is no account');
    },
  );

  it('is found by doctor, which fails', async () => {
    const run = await runCommand(['doctor', '--json'], nowhere);
    expect(run.exitCode).toBe(1);
    const failed = (run.json() as { about: string; state: string }[]).filter(({ state }) => state === 'failed');
    expect(failed.map(({ about }) => about)).toEqual(expect.arrayContaining(['Temporal', 'database', 'config']));
    expect(run.out).toContain('the database of TRAMITA_DATABASE_URL (127.0.0.1:9) does not answer');
    expect(run.out).not.toContain('secret');
  });
});

describe('a command that needs no server', () => {
  it('prints the catalogue as an array: operations --json', async () => {
    const run = await runCommand(['operations', '--json']);
    expect(run.exitCode).toBe(0);
    const rows = run.json() as Record<string, unknown>[];
    expect(rows.find(({ id }) => id === 'requestRefresh')).toMatchObject({
      method: 'POST',
      path: '/v1/processos/cnj/{cnj}/solicitar-atualizacao',
      charge: 'per call',
      eligible202: true,
    });
    for (const row of rows)
      expect(Object.keys(row)).toEqual(expect.arrayContaining(['id', 'method', 'path', 'charge']));
  });

  it('prints settings, problems and warnings without secrets: config --json', async () => {
    const run = await runCommand(['config', '--json'], {
      TRAMITA_API_URL: 'https://api.example.com',
      TRAMITA_API_KEY: 'canary-key',
      TRAMITA_DATABASE_URL: 'postgresql://u:canary-password@db.example.com/x',
      TRAMITA_ID_KEY: 'canary-id-key-0123456789abcdef-0123456789',
    });
    expect(run.exitCode).toBe(0);
    expect(run.json()).toMatchObject({
      config: { accounts: { default: { apiKey: 'set' } }, databaseUrl: 'set (db.example.com/x)' },
      problems: { worker: [], bridge: [expect.any(String), expect.any(String)] },
      warnings: expect.arrayContaining([expect.stringContaining('no limit per day')]) as unknown,
    });
    expect(run.out).not.toContain('canary');
  });
});

it('runCli prints a gRPC error, whose code is a number, as one clear line', async () => {
  let err = '';
  const unavailable = Object.assign(new Error('14 UNAVAILABLE: connection reset'), { code: 14 });
  const exitCode = await runCli(['operations'], {
    env: {},
    cwd: tmpdir(),
    isTerminal: false,
    out: () => {
      throw unavailable;
    },
    err: (text) => (err += text),
  });
  expect({ exitCode, err }).toEqual({
    exitCode: 1,
    err: 'tramita: unexpected Error: 14 UNAVAILABLE: connection reset\n',
  });
});

describe('subject export', () => {
  const folder = temporaryFolder('export');

  it('leaves no half of an export behind, and never touches a file that was there', async () => {
    const file = join(folder, 'export.json');
    const half = intoNewFile(file, async (write) => {
      await write('{"held":[');
      throw new Error('a history cannot be read');
    });
    await expect(half).rejects.toThrow('a history cannot be read');
    expect(readdirSync(folder)).toEqual([]);
    expect(await intoNewFile(file, async (write) => (await write('{}'), 7))).toBe(7);
    await expect(intoNewFile(file, () => Promise.resolve(0))).rejects.toThrow('EEXIST');
    expect(readFileSync(file, 'utf8')).toBe('{}');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
