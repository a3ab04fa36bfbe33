/**
 * Lint: type-aware rules everywhere, and the direction of imports, one zone per room. A zone lists which packages and
 * which other rooms' doors a room may import; everything else is an error. Rooms are entered by their door only.
 */
import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

const ROOMS = [
  'contract',
  'protocol',
  'nexus',
  'files',
  'http',
  'store',
  'inbox',
  'wakes',
  'ledger',
  'records',
  'privacy',
  'activities',
  'workflows',
  'workers',
  'starters',
  'planning',
  'temporal-client',
  'traces',
  'bridge',
  'codec-server',
  'config',
  'local',
  'cli',
  'testing',
];

/** Rooms whose modules the runs of a worker share: a module keeps nothing that changes (docs/decisions/0067). */
const SHARED_BY_RUNS = ['contract', 'protocol', 'workflows'];
const MODULE_STATE = [
  ':matches(Program, ExportNamedDeclaration) > VariableDeclaration[kind!="const"]',
  'Program > VariableDeclaration > VariableDeclarator:not([id.typeAnnotation.typeAnnotation.typeName.name=/^Readonly/]) > NewExpression[callee.name=/^(Map|Set|WeakMap|WeakSet)$/]',
].map((selector) => ({ selector, message: 'Runs of a worker share this module: it keeps nothing that changes.' }));

/** An object spread into an object: its members stand in the outer one. */
const NO_PACKED_MEMBERS = {
  selector:
    'ObjectExpression > SpreadElement > ObjectExpression, ObjectExpression > SpreadElement > TSAsExpression > ObjectExpression',
  message: 'Write these members in the object itself.',
};

/** Node built-ins are allowed where `node` is true. */
function zone(room, { rooms = [], packages = [], node = false, typesOnly = [], files }) {
  const doors = rooms.map(
    (name) => `${name}/(index|values/index|${name === 'contract' ? 'json|operation|route' : 'index'})\\.js`,
  );
  const forbiddenRooms = ROOMS.filter((name) => name !== room && !rooms.includes(name) && !typesOnly.includes(name));
  const allowedPackages = packages.map((name) => name.replace(/[/.]/g, '\\$&'));
  const patterns = [
    {
      regex: `^(?!\\.|(${allowedPackages.join('|') || '$^'})(/|$)${node ? '|node:' : ''})`,
      message: `src/${room} may import only: ${[...packages, ...(node ? ['node:*'] : [])].join(', ') || 'its own files'}.`,
    },
    ...forbiddenRooms.map((name) => ({
      regex: `^(\\.\\./)+(src/)?${name}/`,
      message: `src/${room} must not import src/${name}: arrows point inward (CONTRIBUTING.md, map of rooms).`,
    })),
    ...(rooms.length === 0
      ? []
      : [
          {
            regex: `^(\\.\\./)+(src/)?(${rooms.join('|')})/(?!${[...new Set(doors.map((door) => door.split('/').slice(1).join('/')))].join('$|')}$)`,
            message: 'Enter a room by its door, index.js.',
          },
        ]),
  ];
  return {
    files: files ?? [`src/${room}/**/*.ts`],
    rules: {
      'no-restricted-syntax': [
        'error',
        NO_PACKED_MEMBERS,
        {
          selector: 'ExportDefaultDeclaration',
          message: 'No default exports (the workflow bundle entry is the one exception).',
        },
        { selector: 'ImportExpression', message: 'No dynamic imports here.' },
        {
          // the pure values of the contract have a door, and so a list, of their own
          selector: "ExportAllDeclaration[exported=null][source.value!='./values/index.js']",
          message: 'Doors are explicit lists.',
        },
        ...(SHARED_BY_RUNS.includes(room) ? MODULE_STATE : []),
      ],
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            ...patterns,
            ...typesOnly.map((name) => ({
              regex: `^(\\.\\./)+${name}/`,
              allowTypeImports: true,
              message: `src/${room} may import types only from src/${name}.`,
            })),
          ],
        },
      ],
    },
  };
}

const temporalNode = [
  '@temporalio/client',
  '@temporalio/worker',
  '@temporalio/activity',
  '@temporalio/common',
  '@temporalio/envconfig',
  '@temporalio/plugin',
  '@temporalio/testing',
];

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', '.tramita/**', 'coverage/**'] },
  eslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-require-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/prefer-nullish-coalescing': 'error',
      'no-console': 'error',
      'no-restricted-syntax': ['error', NO_PACKED_MEMBERS],
      eqeqeq: 'error',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
    },
  },
  zone('contract', { packages: ['zod', '@brazilian-utils/brazilian-utils'] }),
  zone('protocol', { packages: ['@temporalio/common'], rooms: ['contract'] }),
  zone('nexus', { packages: ['nexus-rpc'], rooms: ['protocol'] }),
  zone('workflows', { packages: ['@temporalio/workflow', '@temporalio/common'], rooms: ['protocol', 'contract'] }),
  zone('files', { packages: ['@aws-sdk/client-s3'], node: true }),
  zone('http', { packages: ['axios'], node: true, rooms: ['contract', 'files'], typesOnly: ['protocol'] }),
  zone('store', { packages: ['pg', 'kysely'], node: true, rooms: ['contract'] }),
  zone('inbox', { packages: ['kysely'], node: true, rooms: ['store', 'contract'] }),
  zone('wakes', { packages: ['@temporalio/client'], node: true, rooms: ['inbox', 'protocol', 'contract'] }),
  zone('ledger', { packages: ['kysely'], node: true, rooms: ['store', 'contract', 'inbox'], typesOnly: ['protocol'] }),
  zone('records', { packages: ['kysely'], node: true, rooms: ['store', 'contract'] }),
  zone('privacy', {
    packages: ['kysely', 'zod', 'jsonc-parser'],
    node: true,
    rooms: ['store', 'contract', 'inbox', 'ledger', 'records', 'files'],
  }),
  zone('activities', {
    packages: ['@temporalio/activity', '@temporalio/common'],
    node: true,
    rooms: ['files', 'http', 'ledger', 'records', 'inbox', 'contract', 'protocol'],
  }),
  zone('workers', {
    packages: [...temporalNode, '@temporalio/nexus', 'nexus-rpc', 'pino', 'prom-client'],
    node: true,
    rooms: [
      'activities',
      'nexus',
      'files',
      'http',
      'ledger',
      'records',
      'privacy',
      'inbox',
      'store',
      'protocol',
      'contract',
      'config',
      'starters',
      'temporal-client',
      'traces',
      'wakes',
    ],
  }),
  zone('traces', {
    packages: [
      '@opentelemetry',
      '@temporalio/client',
      '@temporalio/common',
      '@temporalio/worker',
      '@temporalio/workflow',
    ],
    node: true,
  }),
  zone('temporal-client', {
    packages: ['@temporalio/client', '@temporalio/common', '@temporalio/proto'],
    node: true,
    rooms: ['config', 'protocol'],
  }),
  zone('starters', { packages: ['@temporalio/client', '@temporalio/common'], rooms: ['protocol', 'contract'] }),
  zone('planning', {
    packages: ['@temporalio/client'],
    rooms: ['activities', 'ledger', 'records', 'store', 'starters', 'config', 'protocol', 'contract'],
  }),
  zone('bridge', {
    packages: ['fastify', 'pino', 'prom-client', '@temporalio/client'],
    node: true,
    rooms: ['inbox', 'wakes', 'store', 'protocol', 'contract'],
    typesOnly: ['traces'],
  }),
  zone('codec-server', {
    packages: ['fastify', '@fastify/cors', 'jose', 'zod', '@temporalio/common'],
    node: true,
    rooms: ['temporal-client', 'contract'],
    typesOnly: ['config', 'privacy'],
  }),
  zone('config', {
    packages: ['zod', '@temporalio/envconfig', '@temporalio/client'],
    node: true,
    rooms: ['contract', 'protocol'],
    typesOnly: ['files'],
  }),
  zone('local', {
    packages: ['pg', '@temporalio/client', '@temporalio/testing', '@temporalio/worker'],
    node: true,
    rooms: ROOMS.filter((name) => !['local', 'cli', 'workflows', 'testing'].includes(name)),
  }),
  zone('testing', {
    packages: ['@temporalio/client'],
    node: true,
    rooms: ['contract', 'config', 'temporal-client'],
    typesOnly: ['ledger'],
  }),
  zone('testing', {
    files: ['src/testing/host/**/*.ts'],
    packages: ['@temporalio/client', '@temporalio/common', 'pg'],
    node: true,
    rooms: [
      'bridge',
      'config',
      'contract',
      'inbox',
      'ledger',
      'local',
      'protocol',
      'store',
      'temporal-client',
      'workers',
    ],
  }),
  zone('cli', {
    packages: ['commander', 'picocolors', 'pino', ...temporalNode],
    node: true,
    rooms: [
      'config',
      'workers',
      'starters',
      'planning',
      'temporal-client',
      'traces',
      'bridge',
      'codec-server',
      'local',
      'ledger',
      'store',
      'inbox',
      'records',
      'privacy',
      'files',
      'http',
      'protocol',
      'contract',
    ],
  }),
  {
    // The contract values are pure enough for the workflow bundle; protocol and workflows may enter by that door only.
    files: ['src/protocol/**/*.ts', 'src/workflows/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: 'contract/index\\.js$',
              message: 'Import contract values from contract/values/index.js: the main door brings zod.',
            },
          ],
        },
      ],
      'no-restricted-globals': ['error', 'fetch', 'process', 'Buffer', 'crypto'],
    },
  },
  zone('sandbox', {
    files: ['sandbox/**/*.ts'],
    packages: ['fastify', 'zod', 'pino'],
    node: true,
    rooms: ['contract'],
  }),
  {
    files: ['src/workflows/index.ts', 'src/workflows/for-esm.mts'],
    rules: { 'no-restricted-syntax': ['error', NO_PACKED_MEMBERS] },
  },
  {
    // Loaded where they are used: a heavy command, the S3 client, the JWT library.
    files: ['src/cli/**/*.ts', 'sandbox/main.ts', 'src/files/s3-client.ts', 'src/codec-server/oidc.ts'],
    rules: { 'no-restricted-syntax': ['error', NO_PACKED_MEMBERS] },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    // Projects of their own, whose packages are not installed here; the compiler checks them (test/flows/examples.test.ts).
    ...tseslint.configs.disableTypeChecked,
    files: ['examples/**/*.ts'],
    rules: { ...tseslint.configs.disableTypeChecked.rules, 'no-console': 'off' },
  },
  {
    files: ['**/*.cjs', '**/*.mjs', 'knip*.js'],
    languageOptions: {
      globals: {
        require: 'readonly',
        module: 'writable',
        process: 'readonly',
        __dirname: 'readonly',
        console: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        Atomics: 'readonly',
        SharedArrayBuffer: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
        AbortSignal: 'readonly',
        fetch: 'readonly',
      },
    },
  },
);
