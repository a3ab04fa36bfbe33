import { publicRow } from '../../src/cli/commands/ledger-columns.js';
import { decideOne, standsElsewhere } from '../../src/cli/commands/settle-many.js';
import { compareCharges } from '../../src/cli/demo/compare-charges.js';
import { requestLine } from '../../src/cli/demo/watch-sandbox.js';
import { durabilityFindings } from '../../src/cli/doctor/check-database.js';
import { historiesFinding } from '../../src/cli/doctor/check-temporal.js';
import { certificateFindings, checkConfig, checkNode } from '../../src/cli/doctor/run-doctor.js';
import { failureText, readFlowFailure } from '../../src/cli/output/flow-failure.js';
import { buildFlowInput } from '../../src/cli/input/flow-input.js';
import { periodOf } from '../../src/cli/input/parse-time.js';
import { visibilityQuery } from '../../src/cli/input/list-filter.js';
import { plainFields } from '../../src/cli/output/log.js';
import { formatTable } from '../../src/cli/output/output.js';
import { createRuntimeLogger } from '../../src/cli/output/runtime-logger.js';
import { ignoredKeys } from '../../src/local/stack/encryption.js';
import { buildChildEnv } from '../../src/local/stack/start-programs.js';
import { mergeActivities } from '../../src/workers/plugin.js';
import { clockProblem } from '../../src/store/index.js';
import { COMPLETE, configOf } from '../config/support.js';
import { TEST_CERTIFICATE, TEST_PRIVATE_KEY } from '../http/test-certificate.js';

test('a row of the ledger is shown without what a person wrote as a note', () => {
  const decision = { decision: 'charged', by: 'ana', at: '2026-03-10T12:00:00.000Z' };
  const earlier = [{ ...decision, note: 'spoke with Maria' }];
  const evidence = { proof: 'balance', ...decision, note: 'spoke with João', earlier };
  const row = { intentId: 'i1', evidence } as unknown as Parameters<typeof publicRow>[0];
  expect(publicRow(row).evidence).toEqual({ proof: 'balance', ...decision, earlier: [decision] });
  expect(publicRow({ ...row, evidence: null }).evidence).toBeNull();
});

test.each(['2026-06-31', '2026-02-29', '2026-02-31T00:00:00Z', '2026-02-31T00:00:00-03:00'])(
  'a day that does not exist is refused: %s',
  (text) => {
    expect(() => periodOf({ from: undefined, to: text })).toThrow(`--to: seen "${text}"`);
  },
);

test('a period ends with its last day', () => {
  expect(periodOf({ from: '2028-02-29', to: '2028-02-29' })).toEqual({
    fromMs: Date.parse('2028-02-29T03:00:00Z'),
    beforeMs: Date.parse('2028-03-01T03:00:00Z'),
  });
  expect(periodOf({ from: '2026-03-10T12:00:00.5Z', to: undefined })).toEqual({
    fromMs: Date.UTC(2026, 2, 10, 12, 0, 0, 500),
  });
});

describe('what is logged', () => {
  const libraryError = Object.assign(new Error('connect to https://host/?cpf=12345678901'), {
    code: 'ECONNRESET',
    request: { _header: 'x-api-key: canary' },
  });

  it('is plain fields only: of an error its name and code, of an object nothing', () => {
    expect(plainFields({ a: 1, b: 'text', c: true, d: null, e: { f: 1 }, g: [1], error: libraryError })).toEqual({
      a: 1,
      b: 'text',
      c: true,
      d: null,
      error: 'ECONNRESET',
    });
  });

  it('of a failure of ours its type and its message, also where an engine has wrapped it, with numbers of people masked', () => {
    const ours = Object.assign(new Error('tramita: POST refresh was refused with HTTP 404'), { type: 'NotFound' });
    const wrapped = Object.assign(new Error('Activity task failed'), { name: 'ActivityFailure', cause: ours });
    const seen = { failure: 'NotFound', error: 'tramita: POST refresh was refused with HTTP 404' };
    expect(plainFields({ error: ours })).toEqual(seen);
    expect(plainFields({ error: wrapped })).toEqual(seen);
    expect(plainFields({ error: new Error('tramita: CPF 123.456.789-01') })).toEqual({ error: 'tramita: CPF 12…1' });
    const quoting = new Error('tramita: GET case was refused with HTTP 422 (X: Maria (mother) is sealed). Ask again');
    expect(plainFields({ error: quoting })).toEqual({
      error: 'tramita: GET case was refused with HTTP 422. Ask again',
    });
  });

  it('of any other error its name, so that no two look the same', () => {
    expect(plainFields({ error: new TypeError('https://host/?cpf=12345678901') })).toEqual({ error: 'TypeError' });
    expect(plainFields({ error: 'text that was thrown' })).toEqual({ error: 'text that was thrown' });
    expect(plainFields({ error: {} })).toEqual({ error: 'unexpected error' });
  });

  it('of the SDK is its message and known attributes, however deep a secret sits in the rest', () => {
    const lines: string[] = [];
    const write = (fields: object, message: string): void => {
      lines.push(JSON.stringify({ ...plainFields(fields), message }));
    };
    const log = createRuntimeLogger({ trace: write, debug: write, info: write, warn: write, error: write });
    log.warn('Activity failed', {
      workflowId: 'w',
      attempt: 2,
      error: libraryError,
      input: 'canary',
      [Symbol('x')]: 1,
    });
    expect(lines).toEqual([
      JSON.stringify({ workflowId: 'w', attempt: 2, error: 'ECONNRESET', message: 'Activity failed' }),
    ]);
  });
});

describe('a flow that refuses a decision', () => {
  it.each([
    ['NotParked', 'tramita: whatever it says', true],
    ['InvalidInput', 'tramita: decision must be one of not-charged, charged, abandon', false],
    // A worker of an earlier version has no type of its own for it.
    [
      'InvalidInput',
      'tramita: nothing is parked: settleCharge is accepted only while the flow waits for a person',
      true,
    ],
    [undefined, 'tramita: the database went away', false],
  ])('%s, "%s": stands elsewhere = %s', (type, problem, elsewhere) => {
    expect(standsElsewhere(problem, type)).toBe(elsewhere);
  });

  it('because its worker is older and knows no `intentId` gets it by the step alone', async () => {
    const given: unknown[] = [];
    const executeUpdate = (_name: string, { args: [input] }: { args: [object] }): Promise<unknown> => {
      given.push(input);
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
    expect(given).toEqual([
      { step: 'getCase', intentId: 'i', ...wanted },
      { step: 'getCase', ...wanted },
    ]);
  });
});

describe('input of tramita start', () => {
  it('is the flags over --input, with the same value twice allowed', () => {
    const built = buildFlowInput('{"cnj":"1","documents":true}', {
      cnj: '1',
      download: true,
      maxPages: '3',
      webhook: 'off',
      maxSpend: '2.00',
    });
    expect(built).toEqual({
      ok: true,
      input: { cnj: '1', documents: true, download: true, maxPages: 3, webhook: false, maxSpend: '2.00' },
    });
  });

  it('reads arguments as JSON and parts with commas', () => {
    const flags = { operation: 'getCase', params: '{"cnj":"1"}', include: 'cover,movements', body: 'no json' };
    expect(buildFlowInput(undefined, flags)).toEqual({
      ok: true,
      input: { operation: 'getCase', params: { cnj: '1' }, include: ['cover', 'movements'], body: 'no json' },
    });
  });

  it('hands on what it cannot read, so that the flow names the member', () => {
    expect(buildFlowInput(undefined, { maxPages: 'all', webhook: '10m' })).toEqual({
      ok: true,
      input: { maxPages: 'all', webhook: '10m' },
    });
  });
});

describe('the ledger beside the charge book', () => {
  const ledger = { operation: 'requestRefresh', searchLogId: 'a', charged: 1_000 };
  const book = { operation: 'requestRefresh', searchLogId: 'a', amount: 1_000 };

  it('is equal when every row has its charge, to the 1/10,000', () => {
    expect(compareCharges([ledger], [book])).toEqual({
      equal: true,
      rows: [{ operation: 'requestRefresh', ledger: '0.1', book: '0.1' }],
      ledger: { count: 1, sum: '0.1' },
      book: { count: 1, sum: '0.1' },
    });
  });

  it.each([
    ['an amount differs by 1/10,000', [ledger], [{ ...book, amount: 1_001 }]],
    ['the service charged something else as well', [ledger], [book, { ...book, searchLogId: 'b' }]],
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
  ])('is not equal when %s', (_why, rows, charges) => {
    expect(compareCharges(rows, charges).equal).toBe(false);
  });
});

describe('printing', () => {
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

  it('pads columns', () => {
    expect(formatTable(['A', 'LONG'], [['value', 'x']])).toBe('A      LONG\n-----  ----\nvalue  x');
  });

  it('tells type, message and spent of a failed flow', () => {
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
  it('refuses a Node that is too old', () => {
    expect(['18.20.0', '20.19.9', '20.20.0', '22.1.0'].map((version) => checkNode(version)[0]?.state)).toEqual([
      ...['failed', 'failed', 'ok', 'ok'],
    ]);
  });

  it('says what a bridge misses where one is configured, and nothing of it on a machine of workers', () => {
    const toldWith = (...names: readonly string[]): readonly string[] => {
      const forWorkers = ['TRAMITA_API_URL', 'TRAMITA_API_KEY', 'TRAMITA_DATABASE_URL', 'TRAMITA_ID_KEY'];
      const env = Object.fromEntries([...forWorkers, ...names].map((name) => [name, COMPLETE[name]]));
      return checkConfig(configOf({ env })).flatMap(({ about, text }) => (/bridge/.test(about + text) ? [text] : []));
    };
    const plain = expect.stringMatching(/^the bridge serves plain HTTP/) as string;
    expect(toldWith()).toEqual([]);
    expect(toldWith('TRAMITA_BRIDGE_DATABASE_URL')).toEqual([expect.stringMatching(/neither webhook secret/), plain]);
    expect(toldWith('TRAMITA_WEBHOOK_SECRETS')).toEqual([expect.stringMatching(/^TRAMITA_BRIDGE_DATABASE_URL/), plain]);
  });

  it.each([
    [{ commit: 'on', standbys: [] }, 0],
    [{ commit: 'on', standbys: ['sync', 'async'] }, 0],
    [{ commit: 'off', standbys: [] }, 1],
    [{ commit: 'on', standbys: ['async'] }, 1],
    [{ commit: 'local', standbys: ['sync'] }, 1],
  ])('warns where a crash or a failover may forget intents: %j', (seen, warnings) => {
    expect(durabilityFindings(seen)).toHaveLength(warnings);
  });
});

describe('doctor, about time', () => {
  it.each([
    ['as it is', 1_000_100, undefined],
    ['within the time that asking took', 1_005_500, undefined],
    ['far ahead', 1_300_000, /^the clock of this machine is 4m 59s behind that of the database/],
    ['far behind', 700_000, /^the clock of this machine is 5m 00s ahead of that of the database/],
  ])('the clock of the database is %s', (_what, databaseMs, text) => {
    const problem = clockProblem({ askedAtMs: 1_000_000, toldAtMs: 1_001_000, databaseMs });
    expect(problem).toEqual(text === undefined ? undefined : expect.stringMatching(text));
  });

  it.each([
    ['2026-11-01', 'failed', /^it is valid from 2026-11-20T\S+ on/],
    ['2030-01-01', 'ok', /^valid until 2126-10-27T\S+Z$/],
    ['2126-10-20', 'warning', /^valid until 2126-10-27T\S+; renew it and restart the bridge/],
    ['2126-10-28', 'failed', /^it has expired at 2126-10-27T/],
  ])('the certificate of the bridge at %s: %s', (day, state, text) => {
    const tls = { cert: TEST_CERTIFICATE, key: TEST_PRIVATE_KEY };
    expect(certificateFindings(tls, Date.parse(day))).toEqual([
      { about: 'certificate of the bridge', state, text: expect.stringMatching(text) as string },
    ]);
    // Plain HTTP has none, and what cannot be read is told elsewhere.
    expect(certificateFindings(undefined, 0)).toEqual([]);
    const unreadable = { ...tls, cert: '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----' };
    expect(certificateFindings(unreadable, 0)).toEqual([]);
  });

  it.each([
    [undefined, 'ok', 'not known'],
    [1, 'warning', '1d'],
    [3, 'warning', '3d'],
    [30, 'ok', '30d'],
  ])('a namespace that keeps histories for %s days: %s', (days, state, text) => {
    expect(historiesFinding(days === undefined ? undefined : days * 86_400_000)).toEqual({
      about: 'retention',
      state,
      text: expect.stringMatching(`^histories of ended flows: ${text}, by the namespace`) as string,
    });
  });
});

describe('environment of the local programs', () => {
  const env = { PATH: '/bin', TRAMITA_API_KEY: 'production', TRAMITA_LOG_LEVEL: 'debug', TEMPORAL_API_KEY: 'cloud' };

  it('has nothing of a production stack that stands in the terminal', () => {
    expect(buildChildEnv({ env, keepTemporal: false, ours: { TRAMITA_API_KEY: 'toy' } })).toEqual({
      PATH: '/bin',
      TRAMITA_LOG_LEVEL: 'debug',
      TRAMITA_API_KEY: 'toy',
    });
  });

  it('keeps the settings of a Temporal server that was named', () => {
    expect(buildChildEnv({ env, keepTemporal: true, ours: {} })).toHaveProperty('TEMPORAL_API_KEY', 'cloud');
  });

  it('says that payload keys of the terminal are not used, unless they are those of the folder', () => {
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

  it('adds activities beside those of the user, and may be given twice', () => {
    const merged = mergeActivities({ own: () => 1 }, ours);
    expect(Object.keys(mergeActivities(merged, ours))).toEqual(['own', 'requestRefresh']);
  });

  it('refuses a foreign activity under a name of ours', () => {
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

  it('joins its filters, and knows a case by its number and by its token', () => {
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
    [{ case: '123' }, '--case'],
    [{ case: 'x" OR 1 = 1' }, '--case'],
    [{ account: 'a" OR 1 = 1' }, '--account'],
    [{ newerThan: 'yesterday' }, 'expected a duration'],
  ])('refuses %j', (flags, problem) => {
    expect(() => query(flags)).toThrow(problem);
  });
});
