import { VARIABLES } from '../../src/config/index.js';
import { COMPLETE, configOf, problemsOf, type Given } from './support.js';

describe('layers', () => {
  it('has the defaults of the design with an empty environment', () => {
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
    ['nothing, as null', { file: { databaseConnections: null } }, 4],
  ])('takes the connections of a program from %s', (_from, given, connections) => {
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
    ['a zero amount is kept', { file, env: { TRAMITA_MAX_SPEND_PER_DAY: '0' } }, { maxSpendPerDay: 0 }],
    [
      'an empty variable counts as unset',
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
      'an undefined override drops out',
      { env: { TRAMITA_API_URL: 'https://env.example.com' }, overrides: { values: { TRAMITA_API_URL: undefined } } },
      { apiUrl: 'https://env.example.com' },
    ],
    [
      'an empty override hides the variable',
      { file, env: { TRAMITA_API_URL: 'https://env.example.com' }, overrides: { values: { TRAMITA_API_URL: '' } } },
      { apiUrl: 'https://file.example.com' },
    ],
    [
      'null in the file is unset',
      { file: { accounts: { default: { apiUrl: null, maxSpendPerDay: null } } } },
      { apiUrl: undefined, maxSpendPerDay: undefined },
    ],
  ])('%s', (_title, given, expected) => {
    const account: Record<string, unknown> = { ...configOf(given).accounts['default'] };
    expect(Object.keys(expected).map((member) => account[member])).toEqual(Object.values(expected));
  });
});

describe('accounts', () => {
  const acme = { apiUrl: 'https://acme.example.com', apiKeyEnv: 'TRAMITA_ACME_KEY', webhookSecretsEnv: 'ACME_SECRETS' };

  it('resolves the secrets of a further account from the variables that the file names', () => {
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

  it('does not lend the variables of account default to another account [a forgotten line would spend its balance]', () => {
    const config = configOf({ file: { accounts: { other: {} } }, env: COMPLETE });
    expect(config.accounts['default']).toMatchObject({ apiKey: 'canary-api-key' });
    expect(config.accounts['other']).not.toHaveProperty('apiKey');
    expect(config.accounts['other']).not.toHaveProperty('apiUrl');
    expect(config.accounts['other']?.webhookSecrets).toEqual([]);
  });

  it('answers only for configured names', () => {
    const { accounts, prices } = configOf();
    expect([accounts['constructor'], accounts['toString'], prices['valueOf']]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('takes the file of a variable that an account names', () => {
    const config = configOf({
      file: { accounts: { acme } },
      env: { TRAMITA_ACME_KEY_FILE: '/run/key' },
      files: { '/run/key': 'acme-key\n' },
    });
    expect(config.accounts['acme']?.apiKey).toBe('acme-key');
  });
});

describe('secrets from files', () => {
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

describe('gaps, prices and operations', () => {
  it('lays what the file says over the defaults, member by member', () => {
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

describe('the result', () => {
  it('is frozen to the bottom', () => {
    const config = configOf({ env: COMPLETE });
    const open: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if (!Object.isFrozen(value)) open.push(path);
      for (const [name, member] of Object.entries(value)) visit(member, `${path}.${name}`);
    };
    visit(config, 'config');
    expect(open).toEqual([]);
  });

  it('does not need the process: an unset variable of the process is not seen', () => {
    process.env['TRAMITA_TASK_QUEUE'] = 'from-the-process';
    try {
      expect(configOf().taskQueue).toBe('tramita');
    } finally {
      delete process.env['TRAMITA_TASK_QUEUE'];
    }
  });

  it('reports every problem at once', () => {
    expect(
      problemsOf({
        env: { TRAMITA_LOG_LEVEL: 'loud', TRAMITA_MIN_BALANCE: '-1', TRAMITA_TASKQUEUE: 'x' },
        file: { prices: { default: 0.5 } },
      }),
    ).toHaveLength(3);
    // The unknown variable is not judged while the file, which may name variables, is refused; the file has its own line.
    expect(problemsOf({ env: { TRAMITA_LOG_LEVEL: 'loud', TRAMITA_TASKQUEUE: 'x' } })).toHaveLength(2);
  });
});
