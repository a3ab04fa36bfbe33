import { generateKeyPairSync } from 'node:crypto';
import { bridgeProblems, describe as describeConfig, preflight, workerProblems } from '../../src/config/index.js';
import { TEST_CERTIFICATE, TEST_PRIVATE_KEY } from '../http/test-certificate.js';
import { COMPLETE, configOf, type Given } from './support.js';

const TLS_PAIR = { TRAMITA_BRIDGE_TLS_CERT: TEST_CERTIFICATE, TRAMITA_BRIDGE_TLS_KEY: TEST_PRIVATE_KEY };

function anotherKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

const without = (...names: string[]): Given => ({
  env: Object.fromEntries(Object.entries(COMPLETE).filter(([name]) => !names.includes(name))),
});

describe('workerProblems and bridgeProblems', () => {
  it('are empty with a complete environment', () => {
    const config = configOf({ env: COMPLETE });
    expect([workerProblems(config), bridgeProblems(config)]).toEqual([[], []]);
  });

  it.each<[string, RegExp]>([
    ['TRAMITA_DATABASE_URL', /^TRAMITA_DATABASE_URL \(or TRAMITA_DATABASE_URL_FILE.*is not set/],
    ['TRAMITA_ID_KEY', /^TRAMITA_ID_KEY \(or TRAMITA_ID_KEY_FILE.*is not set/],
    ['TRAMITA_API_URL', /^TRAMITA_API_URL \(or accounts\.default\.apiUrl.*is not set/],
    ['TRAMITA_API_KEY', /^TRAMITA_API_KEY \(or TRAMITA_API_KEY_FILE.*is not set/],
  ])('say that the worker needs %s', (name, line) => {
    expect(workerProblems(configOf(without(name)))).toEqual([expect.stringMatching(line)]);
  });

  it('say that the worker needs a URL and the name of a key variable for every further account', () => {
    const config = configOf({
      env: COMPLETE,
      file: { accounts: { acme: {}, beta: { apiUrl: 'https://b.example.com', apiKeyEnv: 'BETA_KEY' } } },
    });
    expect(workerProblems(config)).toEqual([
      'accounts.acme.apiUrl is not set; expected the base URL of the service',
      'accounts.acme.apiKeyEnv is not set; expected the name of the variable that holds the API key of account acme',
      'BETA_KEY (named by accounts.beta.apiKeyEnv) (or BETA_KEY_FILE, the path of a file that holds it) is not set; expected the API key of account beta',
    ]);
  });

  it('say that the bridge needs its own database', () => {
    expect(bridgeProblems(configOf(without('TRAMITA_BRIDGE_DATABASE_URL')))).toEqual([
      expect.stringMatching(/^TRAMITA_BRIDGE_DATABASE_URL .*tramita_bridge/),
    ]);
  });

  it('say that the bridge needs a secret or a token per account, unless --insecure', () => {
    const unprotected = without('TRAMITA_WEBHOOK_SECRETS', 'TRAMITA_WEBHOOK_TOKENS');
    expect(bridgeProblems(configOf(unprotected))).toEqual([
      expect.stringContaining('account default has neither webhook secret nor token'),
    ]);
    expect(bridgeProblems(configOf({ ...unprotected, overrides: { insecure: true } }))).toEqual([]);
    expect(bridgeProblems(configOf(without('TRAMITA_WEBHOOK_SECRETS')))).toEqual([]);
  });

  it.each<[string, Given, number]>([
    ['plain HTTP on an outside address', { env: { ...COMPLETE, TRAMITA_BRIDGE_LISTEN: '0.0.0.0:80' } }, 1],
    [
      'the same behind a proxy',
      { env: { ...COMPLETE, TRAMITA_BRIDGE_LISTEN: '0.0.0.0:80' }, overrides: { behindProxy: true } },
      0,
    ],
    [
      'the same with TLS',
      {
        env: {
          ...COMPLETE,
          TRAMITA_BRIDGE_LISTEN: '0.0.0.0:443',
          ...TLS_PAIR,
        },
      },
      0,
    ],
    ['plain HTTP on IPv6 loopback', { env: { ...COMPLETE, TRAMITA_BRIDGE_LISTEN: '[::1]:80' } }, 0],
  ])('allow the bridge plain HTTP only on loopback or behind a proxy: %s', (_title, given, count) =>
    expect(bridgeProblems(configOf(given))).toHaveLength(count),
  );

  it.each([
    ['a key of another certificate', { TRAMITA_BRIDGE_TLS_KEY: anotherKey() }],
    ['a certificate in place of the key', { TRAMITA_BRIDGE_TLS_KEY: TLS_PAIR.TRAMITA_BRIDGE_TLS_CERT }],
    ['a damaged certificate', { TRAMITA_BRIDGE_TLS_CERT: '-----BEGIN CERTIFICATE-----\ncanary' }],
  ])('name the TLS variables for %s', (_title, wrong) => {
    expect(bridgeProblems(configOf({ env: { ...COMPLETE, ...TLS_PAIR, ...wrong } }))).toEqual([
      expect.stringMatching(
        /^TRAMITA_BRIDGE_TLS_CERT and TRAMITA_BRIDGE_TLS_KEY cannot be used together \(ERR_OSSL_\w+\)/,
      ),
    ]);
  });
});

describe('a program with NODE_TLS_REJECT_UNAUTHORIZED=0', () => {
  const unverified = { env: { ...COMPLETE, NODE_TLS_REJECT_UNAUTHORIZED: '0' } };
  it('does not start, and names the variable', () => {
    for (const problems of [workerProblems(configOf(unverified)), bridgeProblems(configOf(unverified))]) {
      expect(problems).toEqual([expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED is 0: .*unset it/)]);
    }
  });

  it('starts with another value of that variable', () => {
    const env = { ...COMPLETE, NODE_TLS_REJECT_UNAUTHORIZED: '1' };
    expect(workerProblems(configOf({ env }))).toEqual([]);
  });
});

describe('preflight', () => {
  it.each<[string, Given, string]>([
    [
      'a token alone',
      without('TRAMITA_WEBHOOK_SECRETS'),
      'account default: webhooks have a token but no HMAC secret: the token alone does not protect the body',
    ],
    [
      'webhooks on without a secret',
      { env: { TRAMITA_WEBHOOKS: 'on' } },
      'account default: webhooks are on, but there is neither secret nor token',
    ],
    [
      'a service in plain HTTP',
      { env: { TRAMITA_API_URL: 'http://127.0.0.1:1' } },
      'account default: the service is called in plain HTTP',
    ],
    ['no daily limit', {}, 'account default: no limit per day (maxSpendPerDay)'],
    [
      'exclusive without debitAt',
      { file: { accounts: { default: { exclusive: true } } } },
      'account default: exclusive without debitAt: the balance is not evidence until debitAt says when the service debits',
    ],
    [
      'one key for two accounts',
      { env: { ...COMPLETE }, file: { accounts: { acme: { apiKeyEnv: 'TRAMITA_API_KEY' } } } },
      'accounts default and acme use the same API key: limits and balance are counted twice',
    ],
    [
      'insecure',
      { overrides: { insecure: true } },
      '--insecure: deliveries to accounts without secret and token are accepted from anyone',
    ],
    [
      'a bridge without TLS',
      { env: COMPLETE },
      'the bridge serves plain HTTP; a proxy in front has to terminate TLS (the service delivers to https only)',
    ],
    [
      'metrics on an outside address',
      { env: { TRAMITA_BRIDGE_OPS_LISTEN: '0.0.0.0:9' } },
      'health and metrics of the bridge listen on 0.0.0.0 without a password',
    ],
    [
      'downloads in plain HTTP',
      { env: { TRAMITA_DOWNLOAD_HOSTS: 'http://127.0.0.1:9' } },
      'signed links may point to http://127.0.0.1:9 in plain HTTP',
    ],
    [
      'a secret file that the group may read',
      { env: { TRAMITA_API_KEY_FILE: '/key' }, files: { '/key': 'key' }, fileMode: 0o100640 },
      'TRAMITA_API_KEY_FILE: others on this machine can read the file; restrict it (chmod 600)',
    ],
    [
      'a file of TRAMITA_PAYLOAD_KEYS_FILE that the group may read',
      { env: { TRAMITA_PAYLOAD_KEYS_FILE: '/key' }, fileMode: 0o100640 },
      'TRAMITA_PAYLOAD_KEYS_FILE: others on this machine can read the file; restrict it (chmod 600)',
    ],
    [
      'a file of TEMPORAL_TLS_CLIENT_KEY_PATH that the group may read',
      { env: { TEMPORAL_TLS_CLIENT_KEY_PATH: '/key' }, fileMode: 0o100640 },
      'TEMPORAL_TLS_CLIENT_KEY_PATH: others on this machine can read the file; restrict it (chmod 600)',
    ],
    [
      'a file of TEMPORAL_CONFIG_FILE that the group may read',
      { env: { TEMPORAL_CONFIG_FILE: '/key' }, fileMode: 0o100640 },
      'TEMPORAL_CONFIG_FILE: others on this machine can read the file; restrict it (chmod 600)',
    ],
    [
      "the bridge's private key that others may read",
      {
        env: { TRAMITA_BRIDGE_TLS_CERT: '-----BEGIN X', TRAMITA_BRIDGE_TLS_KEY: '/tls.key' },
        files: { '/tls.key': '-----BEGIN Y' },
        fileMode: 0o644,
      },
      'TRAMITA_BRIDGE_TLS_KEY: others on this machine can read the file; restrict it (chmod 600)',
    ],
    ...(
      [
        ['TRAMITA_DATABASE_URL', 'postgresql://u:p@db.example.com/tramita'],
        ['TRAMITA_DATABASE_URL', 'postgresql://u:p@10.0.0.7/tramita?sslmode=disable'],
        ['TRAMITA_BRIDGE_DATABASE_URL', 'postgresql:///tramita?host=db.example.com'],
      ] as const
    ).map(([name, url]): [string, Given, string] => [
      `an unencrypted connection to another machine (${url})`,
      { env: { [name]: url } },
      `${name}: the database is on another machine and the connection is not encrypted; add sslmode=verify-full`,
    ]),
    [
      'a price of zero',
      { file: { prices: { getCase: '0' } } },
      'prices.getCase is "0", which says nothing: the next known price is reserved until the answer says',
    ],
  ])('warns of %s', (_title, given, line) => expect(preflight(configOf(given))).toContain(line));

  it('has no warnings for a safe configuration', () => {
    const env = {
      ...COMPLETE,
      TRAMITA_DATABASE_URL: 'postgresql://u:p@db.example.com/tramita?sslmode=verify-full',
      TRAMITA_BRIDGE_DATABASE_URL: 'postgresql://u:p@db.example.com/tramita?ssl=true',
      TRAMITA_CODEC_DATABASE_URL: 'postgresql://u:p@db.example.com/tramita?sslmode=verify-full',
      TRAMITA_MAX_SPEND_PER_DAY: '10',
      TRAMITA_BRIDGE_TLS_CERT: '-----BEGIN X',
      TRAMITA_BRIDGE_TLS_KEY: '-----BEGIN Y',
    };
    expect(preflight(configOf({ env }))).toEqual([]);
  });

  it.each([
    ['a database on this machine', { TRAMITA_DATABASE_URL: 'postgresql://u:p@127.0.0.1/tramita' }, {}],
    ['a database behind a local socket', { TRAMITA_DATABASE_URL: 'postgresql:///tramita?host=/run/postgresql' }, {}],
    ['a secret file that only its owner may read', { TRAMITA_ID_KEY_FILE: '/key' }, { '/key': 'k'.repeat(32) }],
  ])('does not warn of %s', (_title, env, files) => {
    const found = preflight(configOf({ env, files })).join('\n');
    expect(found).not.toMatch(/not encrypted|others on this machine/);
  });
});

describe('describe', () => {
  it('shows every setting and no secret', () => {
    const config = configOf({
      env: { ...COMPLETE, TRAMITA_BRIDGE_TLS_CERT: '-----BEGIN canary', TRAMITA_BRIDGE_TLS_KEY: '-----BEGIN canary' },
    });
    const shown = describeConfig(config);
    expect(JSON.stringify([shown, preflight(config), workerProblems(config), bridgeProblems(config)])).not.toContain(
      'canary',
    );
    expect(JSON.stringify(config)).toContain('canary-api-key');
    expect(shown).toMatchObject({
      databaseUrl: 'set (db.example.com:5432/tramita)',
      idKey: 'set',
      bridge: { listen: '127.0.0.1:8788', tls: 'set' },
      prices: { default: '0.5' },
      accounts: {
        default: { apiKey: 'set', webhookSecrets: 'set (1)', webhookTokens: 'set (1)', maxSpendPerDay: null },
      },
    });
    expect(Object.keys(shown).sort()).toEqual(expect.arrayContaining(Object.keys(config).sort()));
  });

  it('shows which secrets are unset', () => {
    expect(describeConfig(configOf())).toMatchObject({
      databaseUrl: 'unset',
      idKey: 'unset',
      accounts: { default: { apiKey: 'unset', webhookSecrets: 'unset' } },
    });
  });
});
