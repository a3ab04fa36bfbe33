/** Fingerprints of the configuration: the first worker writes them, and every other worker must match them. */
import { checkDatabase } from '../../src/cli/doctor/check-database.js';
import {
  findMismatches,
  keepFingerprints,
  moveBaseUrl,
  readFingerprintNames,
  readFingerprints,
  type Fingerprint,
} from '../../src/store/index.js';
import { fingerprintsOf, loadTemporalConnection, resolveConfig, unreadKeyProblem } from '../../src/config/index.js';
import { withDatabase } from '../support/database.js';
import { NOON_MS } from './support.js';

const given = (key: string, url = 'https://api.example.com', apiKey = 'key'): readonly Fingerprint[] =>
  fingerprintsOf(
    resolveConfig({ env: { TRAMITA_ID_KEY: key.repeat(32), TRAMITA_API_URL: url, TRAMITA_API_KEY: apiKey } }),
  );

describe('keepFingerprints of two workers with different id keys on an empty table', () => {
  const database = withDatabase();

  test('stores the id key of one worker and reports the mismatch to the other', async () => {
    const keep = (key: string) => keepFingerprints(database.db, { given: given(key), nowMs: NOON_MS });
    const answers = await Promise.all(['a', 'b', 'a', 'b', 'a', 'b'].map(keep));
    const [idKey] = (await readFingerprints(database.db)).filter(({ subject }) => subject === 'id key');
    const winner = given('a')[0]?.value === idKey?.value ? 'a' : 'b';
    expect(answers.map((wrong) => wrong.map(({ given: { subject } }) => subject))).toEqual(
      ['a', 'b', 'a', 'b', 'a', 'b'].map((key) => (key === winner ? [] : ['id key'])),
    );
    expect(await findMismatches(database.db, given(winner))).toEqual([]);
  });
});

describe('keepFingerprints after the first worker', () => {
  const database = withDatabase();
  const keep = (fingerprints: readonly Fingerprint[], nowMs = NOON_MS) =>
    keepFingerprints(database.db, { given: fingerprints, nowMs });
  beforeAll(() => keep(given('a')));

  test.each(['https://api.example.com/', 'https://API.Example.COM:443', 'HTTPS://api.example.com//'])(
    'accepts the address %s as the same',
    async (url) => {
      expect(await keep(given('a', url))).toEqual([]);
    },
  );

  test.each(['https://api.example.com/v2', 'https://api.example.com:8443', 'https://api.example.org'])(
    'refuses the address %s and writes nothing of that configuration',
    async (url) => {
      const before = await readFingerprints(database.db);
      expect(await keep(given('a', url, 'another-key'))).toMatchObject([{ given: { subject: 'base url' } }]);
      expect(await readFingerprints(database.db)).toEqual(before);
    },
  );

  test('stores the time of a changed API key, and keeps it while the key stays the same', async () => {
    const since = async () =>
      (await readFingerprints(database.db)).find(({ subject }) => subject === 'api key')?.sinceMs;
    await keep(given('a'), NOON_MS + 1_000);
    expect(await since()).toBe(NOON_MS);
    await keep(given('a', undefined, 'rotated'), NOON_MS + 2_000);
    expect(await since()).toBe(NOON_MS + 2_000);
  });

  test('adds the account that a later worker brings', async () => {
    const more = given('a').concat({ subject: 'base url', account: 'second', value: 'x' });
    expect(await keep(more)).toEqual([]);
    expect(await readFingerprints(database.db)).toContainEqual(expect.objectContaining({ account: 'second' }));
  });

  test('stores neither keys nor addresses in plain text', async () => {
    const stored = JSON.stringify(await readFingerprints(database.db));
    for (const secret of ['a'.repeat(32), 'api.example.com', 'rotated']) expect(stored).not.toContain(secret);
  });
});

describe('a payload key for writing', () => {
  const database = withDatabase();
  const keys = (text: string) => loadTemporalConnection({ TRAMITA_PAYLOAD_KEYS: text }).payloadKeys;
  const [K1, K2] = ['k1', 'k2'].map((id, index) => `${id}:${Buffer.alloc(32, index + 1).toString('base64')}`);
  const config = resolveConfig({ env: { TRAMITA_ID_KEY: 'a'.repeat(32), TRAMITA_DATABASE_URL: database.url } });

  test('is reported by the bridge and `doctor` when no worker has started with it', async () => {
    // PgBouncer takes no options.
    const url = new URL(database.directUrl);
    url.searchParams.set('options', '-c role=tramita_bridge');
    const asBridge = database.connect({ url: url.href });
    const problem = async (text: string): Promise<string | undefined> =>
      unreadKeyProblem(await readFingerprintNames(asBridge), keys(text));
    // No worker has started yet. A local stack writes the address of the service before that.
    const value = 'moved before the first worker';
    await moveBaseUrl(database.db, { account: 'default', value, by: 'the local stack', nowMs: NOON_MS });
    expect(await problem(`${K2}`)).toBeUndefined();
    await keepFingerprints(database.db, { given: fingerprintsOf(config, keys(`${K1}`)), nowMs: NOON_MS });
    expect(await problem(`${K1},${K2}`)).toBeUndefined();
    expect(await problem(`plain,${K2}`)).toBeUndefined();
    expect(await problem(`${K2},${K1}`)).toContain('writes with the key "k2", and no worker');
    const payloadKeys = keys(`${K2},${K1}`);
    expect(await checkDatabase(config, { ...(payloadKeys && { payloadKeys }) })).toContainEqual(
      expect.objectContaining({
        state: 'warning',
        text: expect.stringContaining('no worker of this database') as string,
      }),
    );
  });
});
