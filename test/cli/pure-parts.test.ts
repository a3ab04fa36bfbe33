import { compareCharges } from '../../src/cli/demo/compare-charges.js';
import { requestLine } from '../../src/cli/demo/watch-sandbox.js';
import { durabilityFindings } from '../../src/cli/doctor/check-database.js';
import { historiesFinding } from '../../src/cli/doctor/check-temporal.js';
import { certificateFindings, checkConfig, checkNode } from '../../src/cli/doctor/run-doctor.js';
import { failureText, readFlowFailure } from '../../src/cli/output/flow-failure.js';
import { readFlow, type StartFlags } from '../../src/cli/input/flow-input.js';
import { periodOf } from '../../src/cli/input/parse-time.js';
import { visibilityQuery } from '../../src/cli/input/list-filter.js';
import { publicRow } from '../../src/cli/output/ledger-columns.js';
import { plainFields } from '../../src/cli/output/log.js';
import { formatTable } from '../../src/cli/output/output.js';
import { writeTo } from '../../src/cli/output/runtime-logger.js';
import { decideOne, standsElsewhere } from '../../src/cli/settle/decide-charges.js';
import { ignoredKeys } from '../../src/local/stack/encryption.js';
import { buildChildEnv } from '../../src/local/stack/start-programs.js';
import { mergeActivities } from '../../src/workers/plugin.js';
import { clockProblem } from '../../src/store/index.js';
import { COMPLETE, configOf } from '../config/support.js';
import { TEST_CERTIFICATE, TEST_PRIVATE_KEY } from '../http/test-certificate.js';

test('publicRow removes the notes of people from a ledger row', () => {
  const decision = { decision: 'charged', by: 'ana', at: '2026-03-10T12:00:00.000Z' };
  const earlier = [{ ...decision, note: 'spoke with Maria' }];
  const evidence = { proof: 'balance', ...decision, note: 'spoke with João', earlier };
  const row = { intentId: 'i1', evidence } as unknown as Parameters<typeof publicRow>[0];
  expect(publicRow(row).evidence).toEqual({ proof: 'balance', ...decision, earlier: [decision] });
  expect(publicRow({ ...row, evidence: null }).evidence).toBeNull();
});

test.each(['2026-06-31', '2026-02-29', '2026-02-31T00:00:00Z', '2026-02-31T00:00:00-03:00'])(
  'periodOf refuses a day that does not exist: %s',
  (text) => {
    expect(() => periodOf({ from: undefined, to: text })).toThrow(`--to: seen "${text}"`);
  },
);

test('periodOf includes the last day', () => {
  expect(periodOf({ from: '2028-02-29', to: '2028-02-29' })).toEqual({
    fromMs: Date.parse('2028-02-29T03:00:00Z'),
    beforeMs: Date.parse('2028-03-01T03:00:00Z'),
  });
  expect(periodOf({ from: '2026-03-10T12:00:00.5Z', to: undefined })).toEqual({
    fromMs: Date.UTC(2026, 2, 10, 12, 0, 0, 500),
  });
});

describe('a log line', () => {
  const libraryError = Object.assign(new Error('connect to https://host/?cpf=12345678901'), {
    code: 'ECONNRESET',
    request: { _header: 'x-api-key: canary' },
  });

  it('has plain fields only: the code of an error, and no objects', () => {
    expect(plainFields({ a: 1, b: 'text', c: true, d: null, e: { f: 1 }, g: [1], error: libraryError })).toEqual({
      a: 1,
      b: 'text',
      c: true,
      d: null,
      error: 'ECONNRESET',
    });
  });

  it('has the type and the message of our own failure, even if wrapped, with personal numbers masked', () => {
    const ours = Object.assign(new Error('tramita: POST refresh was refused with HTTP 404'), { type: 'NotFound' });
    const wrapped = Object.assign(new Error('Activity task failed'), { name: 'ActivityFailure', cause: ours });
    const logged = { failure: 'NotFound', error: 'tramita: POST refresh was refused with HTTP 404' };
    expect(plainFields({ error: ours })).toEqual(logged);
    expect(plainFields({ error: wrapped })).toEqual(logged);
    expect(plainFields({ error: new Error('tramita: CPF 123.456.789-01') })).toEqual({ error: 'tramita: CPF 12…1' });
    const quoting = new Error('tramita: GET case was refused with HTTP 422 (X: Maria (mother) is sealed). Ask again');
    expect(plainFields({ error: quoting })).toEqual({
      error: 'tramita: GET case was refused with HTTP 422. Ask again',
    });
  });

  it('has the name of any other error', () => {
    expect(plainFields({ error: new TypeError('https://host/?cpf=12345678901') })).toEqual({ error: 'TypeError' });
    expect(plainFields({ error: 'text that was thrown' })).toEqual({ error: 'text that was thrown' });
    expect(plainFields({ error: {} })).toEqual({ error: 'unexpected error' });
  });

  it('of the SDK has its message and known attributes only', () => {
    const lines: string[] = [];
    const write = (fields: object, message: string): void => {
      lines.push(JSON.stringify({ ...plainFields(fields), message }));
    };
    const none = (): void => undefined;
    writeTo({ trace: none, debug: none, info: none, warn: write, error: none })({
      level: 'WARN',
      message: 'Activity failed',
      timestampNanos: 0n,
      meta: { workflowId: 'w', attempt: 2, error: libraryError, input: 'canary', [Symbol('x')]: 1 },
    });
    expect(lines).toEqual([
      JSON.stringify({ workflowId: 'w', attempt: 2, error: 'ECONNRESET', message: 'Activity failed' }),
    ]);
  });
});

describe('the refusal of a decision by a flow', () => {
  it.each([
    ['NotParked', 'tramita: whatever it says', true],
    ['InvalidInput', 'tramita: decision must be one of not-charged, charged, abandon', false],
    // A worker of an earlier version has no type NotParked.
    [
      'InvalidInput',
      'tramita: nothing is parked: settleCharge is accepted only while the flow waits for a person',
      true,
    ],
    [undefined, 'tramita: the database went away', false],
  ])('with type %s and message "%s" means that the charge is decided elsewhere: %s', (type, problem, elsewhere) => {
    expect(standsElsewhere(problem, type)).toBe(elsewhere);
  });

  it('for an unknown member intentId of an older worker is answered by a decision with the step alone', async () => {
    const updates: unknown[] = [];
    const executeUpdate = (_name: string, { args: [input] }: { args: [object] }): Promise<unknown> => {
      updates.push(input);
      const cause = { message: 'tramita: unknown member "intentId" (known: step, decision, by, requestId, note)' };
      const failure = Object.assign(new Error('refused'), { name: 'WorkflowUpdateFailedError', cause });
      return 'intentId' in input ? Promise.reject(failure) : Promise.resolve({});
    };
    const client = {
      withDeadline: (_at: number, run: () => Promise<unknown>) => run(),
      workflow: { getHandle: () => ({ executeUpdate }) },
    };
    const wanted = { decision: 'abandon', by: 'ana' };
    const intent = { intentId: 'i', step: 'getCase', workflowId: 'w', firstRunId: 'r' };
    expect(await decideOne({ client, wanted, intent } as never)).toEqual({ intent, how: 'by its flow' });
    expect(updates).toEqual([
      { step: 'getCase', intentId: 'i', ...wanted },
      { step: 'getCase', ...wanted },
    ]);
  });
});

describe('the input of tramita start', () => {
  const inputOf = (...given: [json: string | undefined, flags: StartFlags]): unknown =>
    readFlow('callOperation', ...given).input;

  it('combines --input and the flags, which may repeat a value', () => {
    const built = inputOf('{"cnj":"1","documents":true}', {
      cnj: '1',
      download: true,
      maxPages: '3',
      webhook: 'off',
      maxSpend: '2.00',
    });
    expect(built).toEqual({
      cnj: '1',
      documents: true,
      download: true,
      maxPages: 3,
      webhook: false,
      maxSpend: '2.00',
    });
  });

  it('has arguments from JSON and parts from a comma list', () => {
    const flags = { operation: 'getCase', params: '{"cnj":"1"}', include: 'cover,movements', body: 'no json' };
    expect(inputOf(undefined, flags)).toEqual({
      operation: 'getCase',
      params: { cnj: '1' },
      include: ['cover', 'movements'],
      body: 'no json',
    });
  });

  it('has unreadable values unchanged, so that the flow names the member', () => {
    expect(inputOf(undefined, { maxPages: 'all', webhook: '10m' })).toEqual({ maxPages: 'all', webhook: '10m' });
  });
});

describe('the comparison of the ledger with the charge book', () => {
  const ledger = { operation: 'requestRefresh', searchLogId: 'a', charged: 1_000 };
  const book = { operation: 'requestRefresh', searchLogId: 'a', amount: 1_000 };

  it('is equal if every row has its charge with the exact amount', () => {
    expect(compareCharges([ledger], [book])).toEqual({
      equal: true,
      rows: [{ operation: 'requestRefresh', ledger: '0.1', book: '0.1' }],
      ledger: { count: 1, sum: '0.1' },
      book: { count: 1, sum: '0.1' },
    });
  });

  it.each([
    ['an amount differs by 1/10,000', [ledger], [{ ...book, amount: 1_001 }]],
    ['the service charged another call too', [ledger], [book, { ...book, searchLogId: 'b' }]],
    ['the same call was charged twice', [ledger], [book, book]],
    ['the ledger has a row that was not charged', [ledger, { ...ledger, searchLogId: 'b' }], [book]],
    ['the ledger does not know an amount', [{ ...ledger, charged: null }], [book]],
    [
      'two rows have each other’s amounts',
      [ledger, { ...ledger, searchLogId: 'b', charged: 2 }],
      [
        { ...book, amount: 2 },
        { ...book, searchLogId: 'b' },
      ],
    ],
    ['nothing was charged at all', [], []],
  ])('is not equal if %s', (_why, rows, charges) => {
    expect(compareCharges(rows, charges).equal).toBe(false);
  });
});

describe('the output of commands', () => {
  it('never shows a signed link', () => {
    const request = {
      n: 1,
      origin: 'documents',
      operation: 'downloadDocument',
      method: 'GET',
      status: 200,
      charge: null,
    } as const;
    expect(requestLine({ ...request, target: '/files/x?signature=canary' }, [])).toBe(
      'service  GET a signed link (not shown) → 200, free',
    );
  });

  it('has padded columns', () => {
    expect(formatTable(['A', 'LONG'], [['value', 'x']])).toBe('A      LONG\n-----  ----\nvalue  x');
  });

  it('has type, message and spent of a failed flow', () => {
    const failure = readFlowFailure({
      name: 'WorkflowFailedError',
      cause: {
        name: 'ApplicationFailure',
        type: 'RefreshFailed',
        message: 'tramita: it ended empty',
        details: [{ spent: { known: '0.1', unknown: 1 } }],
      },
    });
    expect(failure === undefined ? '' : failureText(failure)).toBe(
      'tramita: RefreshFailed: it ended empty (spent 0.1 and 1 charge(s) that the service has not reported)',
    );
    expect(readFlowFailure({ name: 'WorkflowFailedError', cause: { name: 'CancelledFailure' } })?.type).toBe(
      'Cancelled',
    );
    const encrypted = { name: 'ApplicationFailure', type: 'InvalidInput', message: 'Encoded failure' };
    expect(readFlowFailure({ name: 'WorkflowFailedError', cause: encrypted })?.message).toMatch(/TRAMITA_PAYLOAD_KEYS/);
    expect(readFlowFailure(new Error('other'))).toBeUndefined();
  });
});

describe('doctor', () => {
  it('fails on a Node that is too old', () => {
    expect(['18.20.0', '20.19.9', '20.20.0', '22.1.0'].map((version) => checkNode(version)[0]?.state)).toEqual([
      ...['failed', 'failed', 'ok', 'ok'],
    ]);
  });

  it('reports missing settings of a bridge only if a bridge is configured', () => {
    const findingsWith = (...names: readonly string[]): readonly string[] => {
      const forWorkers = ['TRAMITA_API_URL', 'TRAMITA_API_KEY', 'TRAMITA_DATABASE_URL', 'TRAMITA_ID_KEY'];
      const env = Object.fromEntries([...forWorkers, ...names].map((name) => [name, COMPLETE[name]]));
      return checkConfig(configOf({ env })).flatMap(({ about, text }) => (/bridge/.test(about + text) ? [text] : []));
    };
    const plain = expect.stringMatching(/^the bridge serves plain HTTP/) as string;
    expect(findingsWith()).toEqual([]);
    expect(findingsWith('TRAMITA_BRIDGE_DATABASE_URL')).toEqual([
      expect.stringMatching(/neither webhook secret/),
      plain,
    ]);
    expect(findingsWith('TRAMITA_WEBHOOK_SECRETS')).toEqual([
      expect.stringMatching(/^TRAMITA_BRIDGE_DATABASE_URL/),
      plain,
    ]);
  });

  it.each([
    [{ commit: 'on', standbys: [] }, 0],
    [{ commit: 'on', standbys: ['sync', 'async'] }, 0],
    [{ commit: 'off', standbys: [] }, 1],
    [{ commit: 'on', standbys: ['async'] }, 1],
    [{ commit: 'local', standbys: ['sync'] }, 1],
  ])('warns if a crash or a failover may lose intents: %j', (seen, warnings) => {
    expect(durabilityFindings(seen)).toHaveLength(warnings);
  });
});

describe('doctor about clocks and dates', () => {
  it.each([
    ['equal', 1_000_100, undefined],
    ['within the time of the query', 1_005_500, undefined],
    ['far ahead', 1_300_000, /^the clock of this machine is 4m 59s behind that of the database/],
    ['far behind', 700_000, /^the clock of this machine is 5m 00s ahead of that of the database/],
  ])('compares the clock of the database, if it is %s', (_what, databaseMs, text) => {
    const problem = clockProblem({ askedAtMs: 1_000_000, toldAtMs: 1_001_000, databaseMs });
    expect(problem).toEqual(text === undefined ? undefined : expect.stringMatching(text));
  });

  it.each([
    ['2026-11-01', 'failed', /^it is valid from 2026-11-20T\S+ on/],
    ['2030-01-01', 'ok', /^valid until 2126-10-27T\S+Z$/],
    ['2126-10-20', 'warning', /^valid until 2126-10-27T\S+; renew it and restart the bridge/],
    ['2126-10-28', 'failed', /^it has expired at 2126-10-27T/],
  ])('judges the certificate of the bridge on %s as %s', (day, state, text) => {
    const tls = { cert: TEST_CERTIFICATE, key: TEST_PRIVATE_KEY };
    expect(certificateFindings(tls, Date.parse(day))).toEqual([
      { about: 'certificate of the bridge', state, text: expect.stringMatching(text) as string },
    ]);
    // Plain HTTP has no certificate, and an unreadable one is reported elsewhere.
    expect(certificateFindings(undefined, 0)).toEqual([]);
    const unreadable = { ...tls, cert: '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----' };
    expect(certificateFindings(unreadable, 0)).toEqual([]);
  });

  it.each([
    [undefined, 'ok', 'not known'],
    [1, 'warning', '1d'],
    [3, 'warning', '3d'],
    [30, 'ok', '30d'],
  ])('judges a namespace that keeps histories for %s days as %s', (days, state, text) => {
    expect(historiesFinding(days === undefined ? undefined : days * 86_400_000)).toEqual({
      about: 'retention',
      state,
      text: expect.stringMatching(`^histories of ended flows: ${text}, by the namespace`) as string,
    });
  });
});

describe('the environment of local programs', () => {
  const env = { PATH: '/bin', TRAMITA_API_KEY: 'production', TRAMITA_LOG_LEVEL: 'debug', TEMPORAL_API_KEY: 'cloud' };

  it('has no production settings of the terminal', () => {
    expect(buildChildEnv({ env, keepTemporal: false, ours: { TRAMITA_API_KEY: 'toy' } })).toEqual({
      PATH: '/bin',
      TRAMITA_LOG_LEVEL: 'debug',
      TRAMITA_API_KEY: 'toy',
    });
  });

  it('keeps the settings of Temporal if the user named a server', () => {
    expect(buildChildEnv({ env, keepTemporal: true, ours: {} })).toHaveProperty('TEMPORAL_API_KEY', 'cloud');
  });

  it('ignores payload keys of the terminal with a message, unless they are those of the folder', () => {
    const folder = { env: { TRAMITA_PAYLOAD_KEYS_FILE: '/here/payload-keys' } };
    expect(ignoredKeys({ TRAMITA_PAYLOAD_KEYS: 'k1:…' }, undefined)).toMatch(
      /^TRAMITA_PAYLOAD_KEYS of .* stay in clear/,
    );
    expect(ignoredKeys({ TRAMITA_PAYLOAD_KEYS_FILE: '/other' }, folder)).toMatch(
      /^TRAMITA_PAYLOAD_KEYS_FILE .*encrypted/,
    );
    expect(ignoredKeys({ TRAMITA_PAYLOAD_KEYS: '' }, undefined)).toBeUndefined();
    expect(ignoredKeys(folder.env, folder)).toBeUndefined();
  });
});

describe('the plugin', () => {
  const ours = { requestRefresh: () => 'ours' };

  it('adds its activities to those of the user, also when applied twice', () => {
    const merged = mergeActivities({ own: () => 1 }, ours);
    expect(Object.keys(mergeActivities(merged, ours))).toEqual(['own', 'requestRefresh']);
  });

  it('refuses a foreign activity with one of our names', () => {
    expect(() => mergeActivities({ requestRefresh: () => 'foreign' }, ours)).toThrow(
      'tramita: the worker already has an activity "requestRefresh"',
    );
  });
});

describe('the query of tramita list', () => {
  const naming = {
    token: (_kind: string, value: unknown) => `token-of-${String(value)}`,
    masksCnj: (name: string) => name === 'b',
  };
  const query = (flags: Parameters<typeof visibilityQuery>[0]): string =>
    visibilityQuery(flags, { accounts: ['a', 'b'], naming, nowMs: Date.parse('2026-03-10T12:00:00Z') });

  it('joins its filters, and finds a case by its number and by its token', () => {
    expect(query({})).toBe('TramitaFlow IS NOT NULL');
    expect(query({ flow: 'refreshCase', account: 'a', status: 'timed-out', olderThan: '2h' })).toBe(
      'TramitaFlow IS NOT NULL AND TramitaFlow = "refreshCase" AND TramitaAccount = "a" AND ExecutionStatus = "TimedOut" AND StartTime < "2026-03-10T10:00:00.000Z"',
    );
    expect(query({ case: '1000001-51.2026.8.26.0100' })).toContain(
      'TramitaCase IN ("10000015120268260100", "token-of-10000015120268260100")',
    );
    expect(query({ case: 'token-of-x' })).toContain('TramitaCase IN ("token-of-x")');
  });

  it.each([
    [{ flow: 'none' }, 'there is no flow "none"'],
    [{ case: '123' }, 'NNNNNNN-DD.AAAA.J.TR.OOOO; seen: "123"'],
    [{ case: 'x" OR 1 = 1' }, '--case'],
    [{ account: 'a" OR 1 = 1' }, '--account'],
    [{ newerThan: 'yesterday' }, 'expected a duration'],
  ])('refuses %j', (flags, problem) => {
    expect(() => query(flags)).toThrow(problem);
  });
});
