import { API_KEY, ID_KEY, PASSWORD, SECRET, TOKEN, problemsOf, type Given } from './support.js';

const env = (name: string, value: string): Given => ({ env: { [name]: value } });
const account = (members: Record<string, unknown>): Given => ({ file: { accounts: { default: members } } });
const gaps = (members: Record<string, unknown>): Given => ({ file: { gaps: members } });
const IN_FILE = 'in the file named by TRAMITA_CONFIG';

/** In the table below each row has a configuration, and the one whole line of its problem. */
const URL_RULE =
  'expected an https URL without user, query and fragment (http only for a loopback host), like https://api.example.com';
const API_URL = 'TRAMITA_API_URL (or accounts.default.apiUrl in the file named by TRAMITA_CONFIG)';
const MONEY_RULE = 'expected a decimal amount with up to four places, like "20.00"';
const SECRET_RULE = 'expected at least 16 bytes, like the output of `openssl rand -hex 32`';
const ways = (name: string) => `${name} (or ${name}_FILE, the path of a file that holds it)`;

describe('the problems of a configuration', () => {
  it.each<[Given, string]>([
    [env('TRAMITA_API_URL', 'api.example.com'), `${API_URL}: seen a text that is not a web URL; ${URL_RULE}`],
    [env('TRAMITA_API_URL', 'http://api.example.com'), `${API_URL}: seen http://api.example.com; ${URL_RULE}`],
    [
      env('TRAMITA_API_URL', `https://u:${PASSWORD}@a.example.com`),
      `${API_URL}: seen https://a.example.com with a user or password in it; ${URL_RULE}`,
    ],
    [
      env('TRAMITA_API_URL', `https://a.example.com/?key=${API_KEY}`),
      `${API_URL}: seen https://a.example.com with a query or fragment; ${URL_RULE}`,
    ],
    // A bare `?` or `#` would take the path of every call.
    ...['?', '#'].map((end): [Given, string] => [
      env('TRAMITA_API_URL', `https://a.example.com/${end}`),
      `${API_URL}: seen https://a.example.com with a query or fragment; ${URL_RULE}`,
    ]),
    [
      env('TRAMITA_API_KEY', `${API_KEY}\n`),
      `${ways('TRAMITA_API_KEY')}: seen a value of 15 characters; expected visible ASCII characters without spaces or line ends`,
    ],
    [
      env('TRAMITA_DATABASE_URL', `mysql://u:${PASSWORD}@h/d`),
      `${ways('TRAMITA_DATABASE_URL')}: seen a URL of scheme mysql:; expected a PostgreSQL URL, like postgresql://user:password@host:5432/database`,
    ],
    [
      env('TRAMITA_DATABASE_URL', `postgresql://u:${PASSWORD}%zz@h/d`),
      `${ways('TRAMITA_DATABASE_URL')}: seen a URL with a % that begins no escape; expected %25 for each % of its user, password or database`,
    ],
    [
      env('TRAMITA_BRIDGE_DATABASE_URL', PASSWORD),
      `${ways('TRAMITA_BRIDGE_DATABASE_URL')}: seen a text that is not a URL; expected a PostgreSQL URL, like postgresql://user:password@host:5432/database`,
    ],
    [
      env('TRAMITA_TASK_QUEUE', 'a b'),
      'TRAMITA_TASK_QUEUE: seen "a b"; expected a name of letters, digits, ".", "-" and "_", at most 100 characters',
    ],
    [
      env('TRAMITA_WEBHOOK_SECRETS', ' '),
      `${ways('TRAMITA_WEBHOOK_SECRETS')}: seen a value that is blank; ${SECRET_RULE}`,
    ],
    [
      env('TRAMITA_WEBHOOK_SECRETS', 'canary-short'),
      `${ways('TRAMITA_WEBHOOK_SECRETS')}: seen a value of 12 bytes; ${SECRET_RULE}`,
    ],
    [
      env('TRAMITA_WEBHOOK_SECRETS', `${SECRET}\n`),
      `${ways('TRAMITA_WEBHOOK_SECRETS')}: seen a value with a space or line end at its start or end; expected none there`,
    ],
    [
      env('TRAMITA_WEBHOOK_SECRETS', `${SECRET},`),
      `${ways('TRAMITA_WEBHOOK_SECRETS')}: seen entry 2 of 2 that is blank; ${SECRET_RULE}`,
    ],
    [
      env('TRAMITA_WEBHOOK_TOKENS', `${TOKEN} x`),
      `${ways('TRAMITA_WEBHOOK_TOKENS')}: seen a value with other than visible ASCII; expected visible ASCII characters`,
    ],
    [
      env('TRAMITA_WEBHOOK_TOKENS', 'canary-short'),
      `${ways('TRAMITA_WEBHOOK_TOKENS')}: seen a value of 12 bytes; ${SECRET_RULE}`,
    ],
    [
      { env: { TRAMITA_WEBHOOK_SECRET_FORM: 'hex', TRAMITA_WEBHOOK_SECRETS: `${'ab'.repeat(16)}a` } },
      `${ways('TRAMITA_WEBHOOK_SECRETS')}: seen a value that is not hex of even length; expected hex digits in pairs (the form is set to hex)`,
    ],
    [
      { env: { TRAMITA_WEBHOOK_SECRET_FORM: 'hex', TRAMITA_WEBHOOK_SECRETS: 'ab'.repeat(15) } },
      `${ways('TRAMITA_WEBHOOK_SECRETS')}: seen a value of 15 bytes; ${SECRET_RULE}`,
    ],
    [
      env('TRAMITA_WEBHOOK_SECRET_FORM', 'base64'),
      'TRAMITA_WEBHOOK_SECRET_FORM: seen "base64"; expected one of utf8, hex',
    ],
    [
      env('TRAMITA_WEBHOOKS', 'true'),
      'TRAMITA_WEBHOOKS (or accounts.default.webhooks in the file named by TRAMITA_CONFIG): seen "true"; expected one of on, off',
    ],
    [
      env('TRAMITA_WEBHOOK_URL_HOSTS', 'https://h.example.com'),
      'TRAMITA_WEBHOOK_URL_HOSTS: seen "https://h.example.com"; expected host names without scheme and path, like hooks.example.com',
    ],
    [
      env('TRAMITA_WEBHOOK_URL_HOSTS', 'h.example.com,,'),
      'TRAMITA_WEBHOOK_URL_HOSTS: seen an empty entry; expected a comma list without empty entries',
    ],
    [
      env('TRAMITA_BRIDGE_LISTEN', '8788'),
      'TRAMITA_BRIDGE_LISTEN: seen "8788"; expected host:port with a port up to 65535, like 127.0.0.1:8788 or [::1]:8788',
    ],
    [
      env('TRAMITA_BRIDGE_OPS_LISTEN', '127.0.0.1:65536'),
      'TRAMITA_BRIDGE_OPS_LISTEN: seen "127.0.0.1:65536"; expected host:port with a port up to 65535, like 127.0.0.1:8788 or [::1]:8788',
    ],
    [
      env('TRAMITA_WORKER_OPS_LISTEN', '::1:80'),
      'TRAMITA_WORKER_OPS_LISTEN: seen "::1:80"; expected host:port with a port up to 65535, like 127.0.0.1:8788 or [::1]:8788',
    ],
    [
      env('TRAMITA_DATABASE_CONNECTIONS', '1'),
      'TRAMITA_DATABASE_CONNECTIONS (or databaseConnections in the file named by TRAMITA_CONFIG): seen "1"; expected a whole number from 2 to 200',
    ],
    [
      env('TRAMITA_BRIDGE_BODIES_MB', '0'),
      'TRAMITA_BRIDGE_BODIES_MB: seen "0"; expected a whole number from 1 to 65536',
    ],
    [
      env('TRAMITA_BRIDGE_BODIES_MB', '64MB'),
      'TRAMITA_BRIDGE_BODIES_MB: seen "64MB"; expected a whole number from 1 to 65536',
    ],
    [
      env('TRAMITA_FILES_DIR', ' x'),
      'TRAMITA_FILES_DIR: seen " x"; expected a path without control characters, and without a space at its start or end',
    ],
    [
      env('TRAMITA_DOWNLOAD_HOSTS', 'https://f.example.com/x'),
      'TRAMITA_DOWNLOAD_HOSTS: seen https://f.example.com; expected origins like https://files.example.com (http only for a loopback host), without a path',
    ],
    [
      env('TRAMITA_MAX_SPEND_PER_DAY', '1,50'),
      `TRAMITA_MAX_SPEND_PER_DAY (or accounts.default.maxSpendPerDay ${IN_FILE}): seen "1,50"; ${MONEY_RULE}`,
    ],
    [
      env('TRAMITA_MAX_SPEND_PER_FLOW', '1.00001'),
      `TRAMITA_MAX_SPEND_PER_FLOW (or accounts.default.maxSpendPerFlow ${IN_FILE}): seen "1.00001"; ${MONEY_RULE}`,
    ],
    [
      env('TRAMITA_MIN_BALANCE', '-5'),
      `TRAMITA_MIN_BALANCE (or accounts.default.minBalance ${IN_FILE}): seen "-5"; ${MONEY_RULE}`,
    ],
    [
      env('TRAMITA_ID_KEY', ID_KEY.slice(0, 31)),
      `${ways('TRAMITA_ID_KEY')}: seen a value of 31 characters; expected at least 32 characters, like the output of \`openssl rand -hex 32\``,
    ],
    [
      env('TRAMITA_ID_KEY', `${ID_KEY} `),
      `${ways('TRAMITA_ID_KEY')}: seen a value of 41 characters with a space or line end at its start or end; expected none there`,
    ],
    [
      env('TRAMITA_LOG_LEVEL', 'loud'),
      'TRAMITA_LOG_LEVEL: seen "loud"; expected one of fatal, error, warn, info, debug, trace, silent',
    ],
    [
      env('TRAMITA_BRIDGE_TLS_CERT', '-----BEGIN CERTIFICATE-----'),
      'TRAMITA_BRIDGE_TLS_CERT and TRAMITA_BRIDGE_TLS_KEY belong together; only one is set',
    ],
    [
      {
        env: { TRAMITA_BRIDGE_TLS_CERT_FILE: '/cert', TRAMITA_BRIDGE_TLS_KEY: '-----BEGIN PRIVATE KEY-----' },
        overrides: { values: { TRAMITA_BRIDGE_TLS_CERT: '' } },
      },
      'TRAMITA_BRIDGE_TLS_CERT and TRAMITA_BRIDGE_TLS_KEY belong together; only one is set',
    ],
    [
      env('TRAMITA_MAX_SPEND_PER_DY', '1'),
      'TRAMITA_MAX_SPEND_PER_DY is not a variable of tramita; did you mean TRAMITA_MAX_SPEND_PER_DAY?',
    ],
    [env('TRAMITA_DATABASE', 'x'), 'TRAMITA_DATABASE is not a variable of tramita; did you mean TRAMITA_DATABASE_URL?'],
    [
      env('TRAMITA_METRICS_PORT', '9464'),
      'TRAMITA_METRICS_PORT is not a variable of tramita; docs/configuration.md lists them',
    ],
    [
      env('TRAMITA_TASK_QUEUE_FILE', '/x'),
      'TRAMITA_TASK_QUEUE_FILE is not a variable of tramita; did you mean TRAMITA_TASK_QUEUE?',
    ],
    [
      { env: { TRAMITA_ID_KEY: ID_KEY, TRAMITA_ID_KEY_FILE: '/x' } },
      'TRAMITA_ID_KEY and TRAMITA_ID_KEY_FILE are both set; expected one of them',
    ],
    [
      env('TRAMITA_ID_KEY_FILE', ID_KEY),
      'TRAMITA_ID_KEY_FILE: the file it names cannot be read (ENOENT); expected the path of a readable file',
    ],
    [
      { env: { TRAMITA_ID_KEY_FILE: '/x' }, files: { '/x': '\n' } },
      'TRAMITA_ID_KEY_FILE: the file it names is empty; expected the secret in it',
    ],
    [
      env('TRAMITA_CONFIG', '/none.json'),
      'TRAMITA_CONFIG: seen "/none.json", which cannot be read (ENOENT); expected a JSON file',
    ],
    [
      { file: '{\n  // all of them\n  "accounts": {} }' },
      'the file named by TRAMITA_CONFIG is not JSON (line 2, column 3); it contains comments, which JSON does not allow: remove them',
    ],
    [
      { file: '{ "accounts": {}, }' },
      'the file named by TRAMITA_CONFIG is not JSON (line 1, column 19); it contains a comma before a closing bracket, which JSON does not allow',
    ],
    [{ file: 'accounts: {}' }, 'the file named by TRAMITA_CONFIG is not JSON; expected one JSON object'],
    [{ file: [] }, `top level ${IN_FILE}: seen a list; expected object`],
    [
      { file: { account: {} } },
      `top level ${IN_FILE}: unknown member "account"; did you mean "accounts"? Known members: accounts, prices, gaps, operations, journalDays, archiveDays, eventBodiesDays, retention, databaseConnections`,
    ],
    [
      { file: { archiveDays: 30 } },
      `archiveDays ${IN_FILE}: seen 30; expected at least 90: flows, waiters and evidence look back at younger rows`,
    ],
    [
      { file: { retention: { answers: '30d' } } },
      `retention.answers ${IN_FILE}: seen 30d; expected at least 90d: flows, waiters and evidence look back at younger rows`,
    ],
    [
      { file: { retention: { files: 'long' } } },
      `retention.files ${IN_FILE}: expected a duration like "1827d", or "forever"`,
    ],
    [
      { file: { archiveDays: 400, retention: { archive: '400d' } } },
      'archiveDays and retention.archive say the same thing; keep retention.archive',
    ],
    [
      { file: { retention: { events: '800d', eventKeys: '100d' } } },
      'retention.events is longer than retention.eventKeys; an event goes whole with its key',
    ],
    [
      account({ apiKey: API_KEY }),
      `accounts.default ${IN_FILE}: unknown member "apiKey"; did you mean "apiUrl"? Known members: apiUrl, apiKeyEnv, auth, exclusive, debitAt, refunds, serverErrors, maxSpendPerDay, maxSpendPerFlow, minBalance, requestsPerMinute, pollsPerMinute, concurrency, outageAfter, maskCnj, webhookSecretsEnv, webhookTokensEnv, webhooks`,
    ],
    [
      account({ apiKeyEnv: API_KEY }),
      `accounts.default.apiKeyEnv ${IN_FILE}: expected the name of an environment variable, like TRAMITA_API_KEY (not its value)`,
    ],
    [
      account({ apiUrl: 'ftp://a' }),
      `accounts.default.apiUrl ${IN_FILE} (or TRAMITA_API_URL): seen ftp://a; ${URL_RULE}`,
    ],
    [
      account({ maxSpendPerDay: 2 }),
      `accounts.default.maxSpendPerDay ${IN_FILE} (or TRAMITA_MAX_SPEND_PER_DAY): seen 2; expected string`,
    ],
    [
      account({ minBalance: '1.' }),
      `accounts.default.minBalance ${IN_FILE} (or TRAMITA_MIN_BALANCE): seen "1."; ${MONEY_RULE}`,
    ],
    [
      account({ auth: 'Bearer' }),
      `accounts.default.auth ${IN_FILE}: seen "Bearer"; expected one of "x-api-key", "bearer"`,
    ],
    [
      account({ debitAt: null }),
      `accounts.default.debitAt ${IN_FILE}: seen null; expected one of "unknown", "answer", "completion"`,
    ],
    [account({ concurrency: 0 }), `accounts.default.concurrency ${IN_FILE}: seen 0; expected at least 1`],
    [account({ outageAfter: -1 }), `accounts.default.outageAfter ${IN_FILE}: seen -1; expected at least 0`],
    [
      account({ requestsPerMinute: 1.5 }),
      `accounts.default.requestsPerMinute ${IN_FILE}: seen 1.5; expected a whole number`,
    ],
    [{ file: { accounts: { 'a b': {} } } }, `accounts.a b ${IN_FILE}: expected a name of letters, digits, "-" and "_"`],
    [
      { file: '{"accounts":{"__proto__":{}}}' },
      'a member in the file named by TRAMITA_CONFIG is named "__proto__"; expected a plain name',
    ],
    [
      { file: '{"accounts":{"default":{"maxSpendPerDay":"1.00"},\n"second":{}, "de\\u0066ault" : {}}}' },
      'the file named by TRAMITA_CONFIG has the member "default" twice in one object; keep one of them',
    ],
    [
      { file: { operations: [{ id: 'getCase', method: 'GET', path: '/v1/x' }] } },
      `operations ${IN_FILE}: "getCase" exists already; choose another id`,
    ],
    [
      { file: { operations: [{ id: 'cover', method: 'GET', path: '/v1/processos/cnj/{number}' }] } },
      `operations ${IN_FILE}: "cover" is GET /v1/processos/cnj/{number}, which is "getCase" already`,
    ],
    ...['/v1/../x', '/v1/x/.', '/v1/./x', '/v1/x/..'].map((path): [Given, string] => [
      { file: { operations: [{ id: 'cover', method: 'GET', path }] } },
      `operations[0].path ${IN_FILE}: expected a path like /v1/processos/cnj/{cnj}, without query`,
    ]),
    [{ file: { prices: { default: 0.5 } } }, `prices.default ${IN_FILE}: seen 0.5; expected string`],
    [
      { file: { prices: { 'GET /v1': '1' } } },
      `prices.GET /v1 ${IN_FILE}: expected an operation id, like requestRefresh`,
    ],
    [
      { file: { prices: { requestRefesh: '3.00', default: '1' } } },
      `prices.requestRefesh ${IN_FILE}: no such operation; did you mean "requestRefresh"? Define your own operations in "operations"`,
    ],
    [
      gaps({ filters: { searchElectoralBord: { from: 'dataInicio' } } }),
      `gaps.filters.searchElectoralBord ${IN_FILE}: no such operation; did you mean "searchElectoralBoard"? Define your own operations in "operations"`,
    ],
    [
      gaps({ statusWords: { done: ['Não há'], failed: ['NAO_HA'] } }),
      `gaps.statusWords.failed ${IN_FILE}: "NAO_HA" is in "done" too; keep it in one of them`,
    ],
    [
      gaps({ termPageParam: 'page=1&x' }),
      `gaps.termPageParam ${IN_FILE}: expected a plain name of letters, digits, "_" and "-"`,
    ],
    [
      gaps({ summaryPath: '/v1/processos/resumo' }),
      `gaps.summaryPath ${IN_FILE}: expected exactly one {cnj} in the path`,
    ],
    [
      gaps({ summaryPath: '/v1/x/{cnj}?a=1' }),
      `gaps.summaryPath ${IN_FILE}: expected a path like /v1/processos/cnj/{cnj}, without query`,
    ],
    [
      gaps({ statusField: ['a..b'] }),
      `gaps.statusField[0] ${IN_FILE}: expected names joined by dots, like "data.status"`,
    ],
    [gaps({ statusField: [] }), `gaps.statusField ${IN_FILE}: seen a list of 0; expected at least 1`],
    [
      gaps({ oabNumberParam: 'oab_estado' }),
      `gaps.oabNumberParam and gaps.oabStateParam ${IN_FILE}: both are "oab_estado"; expected two names`,
    ],
    [
      gaps({ documentsFlag: { name: 'x' }, callbackFlag: { name: 'x' } }),
      `gaps.documentsFlag.name and gaps.callbackFlag.name ${IN_FILE}: both are "x"; expected two names`,
    ],
    [
      gaps({ documentsFlag: { true: 'yes' } }),
      `gaps.documentsFlag.true ${IN_FILE}: seen "yes"; expected one of "true", 1, true`,
    ],
    [
      { file: { operations: [{ id: 'x', path: '/v1/x' }] } },
      `operations[0].method ${IN_FILE}: seen nothing; expected one of "GET", "POST", "PUT", "DELETE"`,
    ],
    [
      { file: { operations: [{ id: 'x', method: 'GET', path: 'https://evil.example.com/' }] } },
      `operations[0].path ${IN_FILE}: expected a path like /v1/processos/cnj/{cnj}, without query`,
    ],
    [
      {
        file: {
          operations: [
            { id: 'x', method: 'GET', path: '/v1/a' },
            { id: 'x', method: 'GET', path: '/v1/b' },
          ],
        },
      },
      'operations in the file named by TRAMITA_CONFIG: the id x is given twice',
    ],
  ])('are one clear line for %j', (given, line) => {
    expect(problemsOf(given)).toEqual([line]);
  });

  it('do not include a member that is in two objects, or quotes and braces in texts', () => {
    const file =
      '{"prices":{"getCase":"0.10"},"accounts":{"a":{"apiUrl":"https://a.example.com"},"b":{"apiUrl":"https://b.example.com"}},' +
      '"gaps":{"statusWords":{"done":["{\\"done\\":1}","\\"done\\":"]},"documentsFlag":{"name":"x","true":"true"}}}';
    expect(problemsOf({ file })).toEqual([]);
  });

  it('never repeat a secret, whatever is wrong with it', () => {
    const broken: Given[] = [
      ...[
        'TRAMITA_API_KEY',
        'TRAMITA_WEBHOOK_SECRETS',
        'TRAMITA_WEBHOOK_TOKENS',
        'TRAMITA_ID_KEY',
        'TRAMITA_DATABASE_URL',
      ].flatMap((name) => [`canary\n`, ` canary`, `canary\u0007`, `canary é`].map((value) => env(name, value))),
      env('TRAMITA_API_KEY_FILE', 'canary'),
      env('TRAMITA_BRIDGE_TLS_KEY', 'canary'),
      { file: 'canary' },
      { file: '{"canary' },
      account({ apiKeyEnv: 'canary' }),
      account({ webhookSecretsEnv: 'canary-canary' }),
      account({ auth: 'canary-canary-canary' }),
      account({ apiKey: 'canary' }),
    ];
    for (const given of broken) {
      const problems = problemsOf(given);
      expect(problems).not.toEqual([]);
      expect(problems.join('\n')).not.toContain('canary');
    }
  });
});
