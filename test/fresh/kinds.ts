/** Kinds of backend projects: how each one imports, compiles and runs the example of the package's README. */
import type { Environment, FreshProject, ProgramOutput } from './fresh-project.js';

export interface Kind {
  readonly name: string;
  readonly manifest: object;
  /** What a developer installs beside the package. Over all kinds, three major versions of TypeScript. */
  readonly tools: readonly string[];
  readonly files: (example: string) => Readonly<Record<string, string>>;
  readonly compilerOptions: object;
  /** Runs to the first result, from compiled files or from the sources, and prints `refreshed at <time>`. */
  readonly run: (project: FreshProject, env: Environment) => Promise<ProgramOutput>;
}

const TYPES_OF_NODE = '@types/node@20.19.43';
const SAY_TIME = 'console.log(`refreshed at ${await refresh(process.env["CASE"] ?? "")}`);\n';

/** The example in JavaScript, as its users would write it. */
const IN_JAVASCRIPT = `'use strict';
const { Client } = require('@temporalio/client');
const tramita = require('@tramita/client');

async function main() {
  const config = tramita.resolveConfig({ env: process.env, overrides: { withoutApiKeys: true } });
  const temporal = tramita.loadTemporalConnection(process.env);
  const connection = tramita.connectClient(temporal);
  const dataConverter = tramita.createDataConverter(temporal);
  const client = new Client({ connection, namespace: temporal.namespace, dataConverter });
  const deps = tramita.createStarterDeps(config, client);
  const flow = await tramita.startRefreshCase(deps, { cnj: process.env.CASE ?? '', maxAge: '24h' });
  console.log(\`refreshed at \${(await flow.result()).refreshedAt}\`);
  await connection.close();
}
main();
`;

const BUNDLE = `import { build } from 'esbuild';
await build({ entryPoints: ['src/main.ts'], bundle: true, platform: 'node', outfile: 'dist/main.cjs', logLevel: 'warning' });
`;

/** The example as a test for jest and vitest; the test runner has to exit by itself. */
const IN_A_TEST = `import { refresh } from './refresh';
it('refreshes a case', async () => {
  const refreshedAt = await refresh(process.env['CASE'] ?? '');
  expect(Date.parse(refreshedAt)).toBeGreaterThan(0);
  console.log(\`refreshed at \${refreshedAt}\`);
});
`;

export const KINDS: readonly Kind[] = [
  {
    name: 'CommonJS, JavaScript',
    manifest: {},
    tools: ['typescript@6.0.3', TYPES_OF_NODE],
    files: () => ({ 'main.cjs': IN_JAVASCRIPT }),
    // As an editor checks it.
    compilerOptions: { module: 'node16', allowJs: true, checkJs: true, noEmit: true },
    run: (project, env) => project.node(['main.cjs'], { env }),
  },
  {
    name: 'ES modules, TypeScript, node16',
    manifest: { type: 'module' },
    tools: ['typescript@7.0.2', TYPES_OF_NODE],
    files: (example) => ({
      'src/refresh.ts': example,
      'src/main.ts': `import { refresh } from './refresh.js';\n${SAY_TIME}`,
    }),
    compilerOptions: { module: 'node16', rootDir: 'src', outDir: 'dist' },
    run: (project, env) => project.node(['dist/main.js'], { env }),
  },
  {
    name: 'bundler (esbuild)',
    manifest: { type: 'module' },
    tools: ['typescript@5.9.3', TYPES_OF_NODE, 'esbuild@0.28.2'],
    files: (example) => ({
      'src/refresh.ts': example,
      'bundle.mjs': BUNDLE,
      'src/main.ts': `import { refresh } from './refresh';\nvoid (async () => { ${SAY_TIME} })();\n`,
    }),
    compilerOptions: { module: 'esnext', moduleResolution: 'bundler', noEmit: true },
    run: async (project, env) => {
      const bundled = await project.node(['bundle.mjs']);
      // A warning of the bundler would be about our package.
      return bundled.text === '' ? project.node(['dist/main.cjs'], { env }) : bundled;
    },
  },
  {
    name: 'jest',
    manifest: { jest: { transform: { '^.+\\.ts$': '@swc/jest' } } },
    tools: [
      'typescript@6.0.3',
      TYPES_OF_NODE,
      'jest@30.5.2',
      '@types/jest@30.0.0',
      '@swc/core@1.16.18',
      '@swc/jest@0.2.39',
    ],
    files: (example) => ({ 'refresh.ts': example, 'refresh.test.ts': IN_A_TEST }),
    compilerOptions: { module: 'node16', types: ['node', 'jest'], noEmit: true },
    run: (project, env) => project.node(['node_modules/jest/bin/jest.js'], { env }),
  },
  {
    name: 'vitest',
    manifest: { type: 'module' },
    tools: ['typescript@6.0.3', TYPES_OF_NODE, 'vitest@4.1.12'],
    files: (example) => ({
      'refresh.ts': example,
      'refresh.test.ts': `import { expect, it } from 'vitest';\n${IN_A_TEST}`,
    }),
    // The declarations of vitest need those of the browser.
    compilerOptions: { module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'dom'], noEmit: true },
    run: (project, env) => project.node(['node_modules/vitest/vitest.mjs', 'run'], { env }),
  },
];
