/**
 * One project per rung of the test ladder, ordered by what a rung needs: nothing, a loopback socket, PostgreSQL, a Temporal
 * server, processes that are killed. `npx jest --selectProjects pure` runs one rung.
 */
const SWC = [
  '@swc/jest',
  { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
];
const shared = {
  testEnvironment: 'node',
  transform: {
    '^.+\\.ts$': SWC,
    // A package of ES modules alone, and one that loads with `import()`; jest knows CommonJS.
    '/node_modules/(jose|@opentelemetry/otlp-exporter-base)/.+\\.js$': SWC,
  },
  transformIgnorePatterns: ['/node_modules/(?!(jose|@opentelemetry/otlp-exporter-base)/)'],
  // Copies of the repository that `npm run mutation` works in.
  modulePathIgnorePatterns: ['<rootDir>/.tramita/'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  setupFilesAfterEnv: ['<rootDir>/test/support/leak-guard.ts'],
};
const needsPostgres = {
  globalSetup: '<rootDir>/test/support/postgres-up.ts',
  globalTeardown: '<rootDir>/test/support/postgres-down.ts',
};
const needsTemporal = {
  globalSetup: '<rootDir>/test/support/stack-up.ts',
  globalTeardown: '<rootDir>/test/support/stack-down.ts',
  setupFilesAfterEnv: [...shared.setupFilesAfterEnv, '<rootDir>/test/support/long-tests.ts'],
};

const rung = (name, extra = {}) => ({
  ...shared,
  ...extra,
  displayName: name,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
});

// The S3 client warns of Node 20, which is tested here (src/cli/main.ts).
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';

module.exports = {
  maxWorkers: 5,
  forceExit: true,
  // Of one test: a bound on what hangs, not on a machine that is slow. Longer than the waits of `until`, which name what did not come.
  testTimeout: 180_000,
  testSequencer: '<rootDir>/test/support/slow-first.cjs',
  reporters: ['default', '<rootDir>/test/support/summary-reporter.cjs'],
  projects: [
    rung('pure'),
    rung('contract'),
    rung('config'),
    rung('files'),
    rung('http'),
    rung('sandbox'),
    rung('local'),
    rung('bundle'),
    rung('replay'),
    rung('package'),
    rung('store', needsPostgres),
    rung('bridge', needsPostgres),
    rung('codec', needsPostgres),
    rung('activities', needsPostgres),
    rung('flows', needsTemporal),
    rung('cli', needsTemporal),
    rung('e2e', needsTemporal),
    rung('soak', needsTemporal),
    rung('cluster', { setupFilesAfterEnv: needsTemporal.setupFilesAfterEnv }),
    // Not a rung: makes new files for test/replay (`npm run record-histories`).
    ...(process.env.TRAMITA_RECORD_HISTORIES === '1' ? [rung('record', needsTemporal)] : []),
    // Not a rung: installs from the registry (`npm run test:package`).
    ...(process.env.TRAMITA_FRESH_PROJECTS === '1' ? [rung('fresh', needsTemporal)] : []),
  ],
};
