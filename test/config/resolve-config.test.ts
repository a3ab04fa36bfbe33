import { VARIABLES } from '../../src/config/env-names.js';
import { COMPLETE, configOf, problemsOf, type Given } from './support.js';

describe('the layers of a configuration', () => {
  it('give the defaults of the design for an empty environment', () => {
    const config = configOf();
    expect(config).toMatchObject({
      taskQueue: 'tramita',
      nexus: false,
      filesDir: '.tramita/files',
      logLevel: 'info',
      webhookUrlHosts: [],
      downloadHosts: [],
      operations: [],
      databaseConnections: 4,
      bridge: {
        listen: { host: '127.0.0.1', port: 8788 },
        opsListen: { host: '127.0.0.1', port: 8789 },
        bodiesMb: 32,
        behindProxy: false,
        insecure: false,
      },
    });
    expect(config.accounts['default']).toEqual({
      auth: 'x-api-key',
      exclusive: false,
      debitAt: 'unknown',
      refunds: 'unknown',
      serverErrors: 'unknown',
      requestsPerMinute: 500,
      pollsPerMinute: 166,
      concurrency: 4,
      outageAfter: 3,
      maskCnj: false,
      webhooks: false,
      apiKeyEnv: 'TRAMITA_API_KEY',
      webhookSecretsEnv: 'TRAMITA_WEBHOOK_SECRETS',
      webhookTokensEnv: 'TRAMITA_WEBHOOK_TOKENS',
      webhookSecrets: [],
      webhookTokens: [],
      webhookSecretForm: 'utf8',
    });
    expect({ ...config.prices }).toEqual({
      default: 5000,
      getElectoralPublication: 500,
      getElectoralEditionPdf: 800,
      searchElectoralBoard: 1500,
    });
  });

  it.each<[string, Given, number]>([
    ['the file', { file: { databaseConnections: 7 } }, 7],
    [
      'the environment over the file',
      { file: { databaseConnections: 7 }, env: { TRAMITA_DATABASE_CONNECTIONS: '9' } },
      9,
    ],
    ['the default, if the file has null', { file: { databaseConnections: null } }, 4],
  ])('take the number of database connections from %s', (_from, given, connections) => {
    expect(configOf(given).databaseConnections).toBe(connections);
  });

  const file = {
    accounts: {
      default: { apiUrl: 'https://file.example.com', maxSpendPerDay: '1', webhooks: 'on', exclusive: false },
    },
  };
  it.each<[string, Given, Record<string, unknown>]>([
    ['the file alone', { file }, { apiUrl: 'https://file.example.com', maxSpendPerDay: 10_000, webhooks: true }],
    [
      'the environment over the file',
      { file, env: { TRAMITA_API_URL: 'https://env.example.com/', TRAMITA_WEBHOOKS: 'off' } },
      { apiUrl: 'https://env.example.com', webhooks: false },
    ],
    ['a zero amount', { file, env: { TRAMITA_MAX_SPEND_PER_DAY: '0' } }, { maxSpendPerDay: 0 }],
    [
      'the file under an empty variable',
      { file, env: { TRAMITA_API_URL: '', TRAMITA_MAX_SPEND_PER_DAY: '' } },
      { apiUrl: 'https://file.example.com', maxSpendPerDay: 10_000 },
    ],
    [
      'an override over the environment',
      {
        env: { TRAMITA_API_URL: 'https://env.example.com' },
        overrides: { values: { TRAMITA_API_URL: 'https://flag.example.com' } },
      },
      { apiUrl: 'https://flag.example.com' },
    ],
    [
      'the environment under an undefined override',
      { env: { TRAMITA_API_URL: 'https://env.example.com' }, overrides: { values: { TRAMITA_API_URL: undefined } } },
      { apiUrl: 'https://env.example.com' },
    ],
    [
      'the file under an empty override, which hides the variable',
      { file, env: { TRAMITA_API_URL: 'https://env.example.com' }, overrides: { values: { TRAMITA_API_URL: '' } } },
      { apiUrl: 'https://file.example.com' },
    ],
    [
      'nothing from null in the file',
      { file: { accounts: { default: { apiUrl: null, maxSpendPerDay: null } } } },
      { apiUrl: undefined, maxSpendPerDay: undefined },
    ],
  ])('take account settings from %s', (_title, given, expected) => {
    const account: Record<string, unknown> = { ...configOf(given).accounts['default'] };
    expect(Object.keys(expected).map((member) => account[member])).toEqual(Object.values(expected));
  });
});

describe('the accounts of a configuration', () => {
  const acme = { apiUrl: 'https://acme.example.com', apiKeyEnv: 'TRAMITA_ACME_KEY', webhookSecretsEnv: 'ACME_SECRETS' };

  it('get their secrets from the variables that the file names', () => {
    const config = configOf({
      file: { accounts: { acme } },
      env: { TRAMITA_ACME_KEY: 'acme-key', ACME_SECRETS: 'newest-secret-0123456,older-secret-01234567' },
    });
    expect(Object.keys(config.accounts)).toEqual(['acme']);
    expect(config.accounts['acme']).toMatchObject({
      apiKey: 'acme-key',
      webhookSecrets: ['newest-secret-0123456', 'older-secret-01234567'],
      webhookTokens: [],
    });
  });

  it('do not include default when an empty override hides its secret and the file that holds it', () => {
    const given = { file: { accounts: { acme } }, env: { TRAMITA_API_KEY_FILE: '/key', TRAMITA_ACME_KEY: 'acme-key' } };
    const files = { '/key': 'file-key' };
    expect(Object.keys(configOf({ ...given, files }).accounts)).toEqual(['default', 'acme']);
    const hidden = configOf({ ...given, files, overrides: { values: { TRAMITA_API_KEY: '' } } });
    expect(Object.keys(hidden.accounts)).toEqual(['acme']);
  });

  it('do not share the variables of account default with other accounts, so that a forgotten line spends no other balance', () => {
    const config = configOf({ file: { accounts: { other: {} } }, env: COMPLETE });
    expect(config.accounts['default']).toMatchObject({ apiKey: 'canary-api-key' });
    expect(config.accounts['other']).not.toHaveProperty('apiKey');
    expect(config.accounts['other']).not.toHaveProperty('apiUrl');
    expect(config.accounts['other']?.webhookSecrets).toEqual([]);
  });

  it('have only configured names', () => {
    const { accounts, prices } = configOf();
    expect([accounts['constructor'], accounts['toString'], prices['valueOf']]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('get a secret from the _FILE variant of the variable that the file names', () => {
    const config = configOf({
      file: { accounts: { acme } },
      env: { TRAMITA_ACME_KEY_FILE: '/run/key' },
      files: { '/run/key': 'acme-key\n' },
    });
    expect(config.accounts['acme']?.apiKey).toBe('acme-key');
  });
});

describe('resolveConfig with secrets in files', () => {
  it.each(VARIABLES.filter((variable) => variable.secret && !variable.name.includes('TLS')).map(({ name }) => name))(
    'reads %s from the file named by its _FILE variable, without the last line end',
    (name) => {
      const value = COMPLETE[name] ?? '';
      expect(configOf({ env: { [`${name}_FILE`]: '/run/secret' }, files: { '/run/secret': `${value}\n` } })).toEqual(
        configOf({ env: { [name]: value } }),
      );
    },
  );

  const cert = '-----BEGIN CERTIFICATE-----\nA\n';
  const key = '-----BEGIN PRIVATE KEY-----\nB\n';
  it.each<[string, Given]>([
    ['as text', { env: { TRAMITA_BRIDGE_TLS_CERT: cert, TRAMITA_BRIDGE_TLS_KEY: key } }],
    [
      'as paths',
      { env: { TRAMITA_BRIDGE_TLS_CERT: '/c', TRAMITA_BRIDGE_TLS_KEY: '/k' }, files: { '/c': cert, '/k': key } },
    ],
  ])('takes the TLS pair %s', (_title, given) => expect(configOf(given).bridge.tls).toEqual({ cert, key }));
});

describe('gaps, prices and operations of the file', () => {
  it('override the defaults member by member', () => {
    const config = configOf({
      file: {
        prices: { default: '0.4', getCase: '0', searchWarrants: '0.7' },
        gaps: {
          documentsFlag: { in: 'body', true: true },
          statusWords: { done: ['PRONTO'] },
          statusField: ['situacao'],
          filters: { listNotices: { court: 'tribunal' } },
        },
        operations: [{ id: 'searchWarrants', method: 'GET', path: '/v1/mandados/{id}' }],
      },
    });
    expect(config.prices['getCase']).toBe(0);
    expect(config.prices.default).toBe(4_000);
    expect(config.gaps).toMatchObject({
      documentsFlag: { name: 'documentos_publicos', in: 'body', true: true },
      callbackFlag: { name: 'enviar_callback', in: 'query', true: 'true' },
      statusField: ['situacao'],
      statusWords: { running: [], done: ['PRONTO'], empty: [], failed: [] },
      summaryPath: '/v1/processos/cnj/{cnj}/resumo-ia',
      updateMonitorOabIn: 'query',
    });
    expect(config.gaps.filters['listNotices']?.['court']).toBe('tribunal');
    expect(config.operations).toEqual([
      { id: 'searchWarrants', method: 'GET', path: '/v1/mandados/{id}', charge: 'per call', eligible202: true },
    ]);
  });
});

describe('the resolved configuration', () => {
  it('is deeply frozen', () => {
    const config = configOf({ env: COMPLETE });
    const unfrozen: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if (!Object.isFrozen(value)) unfrozen.push(path);
      for (const [name, member] of Object.entries(value)) visit(member, `${path}.${name}`);
    };
    visit(config, 'config');
    expect(unfrozen).toEqual([]);
  });

  it('ignores variables of the process that are not in the given environment', () => {
    process.env['TRAMITA_TASK_QUEUE'] = 'from-the-process';
    try {
      expect(configOf().taskQueue).toBe('tramita');
    } finally {
      delete process.env['TRAMITA_TASK_QUEUE'];
    }
  });

  it('is refused with all problems at once', () => {
    expect(
      problemsOf({
        env: { TRAMITA_LOG_LEVEL: 'loud', TRAMITA_MIN_BALANCE: '-1', TRAMITA_TASKQUEUE: 'x' },
        file: { prices: { default: 0.5 } },
      }),
    ).toHaveLength(3);
    // An unknown variable is not reported while the file is refused, because the file may name variables.
    expect(problemsOf({ env: { TRAMITA_LOG_LEVEL: 'loud', TRAMITA_TASKQUEUE: 'x' } })).toHaveLength(2);
  });
});
