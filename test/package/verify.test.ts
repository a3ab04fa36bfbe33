/**
 * `scripts/verify.cjs` in a folder with fake tools: which step ends a run, what is printed last, which arguments jest gets.
 * The real run is `npm test` itself.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import long from '../support/long.json';
import { temporaryFolder } from '../support/temporary-folder.js';

const REPOSITORY = join(__dirname, '..', '..');
const TOOLS = {
  prettier: 'prettier/bin/prettier.cjs',
  eslint: 'eslint/bin/eslint.js',
  tsc: 'typescript/bin/tsc',
  depcruise: 'dependency-cruiser/bin/dependency-cruise.mjs',
  knip: 'knip/bin/knip.js',
  jest: 'jest/bin/jest.js',
} as const;
const JEST = "console.log('12 passed, 0 failed')";

/** `tools`: JavaScript that a tool runs instead of itself. A tool without an entry succeeds silently. */
function run(
  tools: Partial<Record<keyof typeof TOOLS, string>>,
  { args = [], env = {} }: { readonly args?: readonly string[]; readonly env?: NodeJS.ProcessEnv } = {},
) {
  const root = temporaryFolder('verify');
  mkdirSync(join(root, 'scripts'));
  for (const file of ['scripts/verify.cjs', 'test/support/long.json']) cpSync(join(REPOSITORY, file), join(root, file));
  writeFileSync(join(root, 'scripts', 'bootstrap.cjs'), "require('fs').writeFileSync('bootstrapped', '')");
  for (const [name, file] of Object.entries(TOOLS)) {
    const path = join(root, 'node_modules', file);
    mkdirSync(dirname(path), { recursive: true });
    const note = `process.getBuiltinModule('fs').appendFileSync('calls', ${JSON.stringify(`${name} `)} + process.argv.slice(2).join(' ') + ' NODE_ENV=' + process.env.NODE_ENV + '\\n');`;
    writeFileSync(path, `${note}\n${tools[name as keyof typeof TOOLS] ?? (name === 'jest' ? JEST : '')}`);
  }
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(root, 'scripts', 'verify.cjs'), ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], npm_lifecycle_event: 'test', ...env },
  });
  const calls = existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').trim().split('\n') : [];
  return {
    lines: stdout.trimEnd().split('\n'),
    stderr,
    status,
    calls,
    isBootstrapped: existsSync(join(root, 'bootstrapped')),
  };
}

describe('npm test', () => {
  it('checks types and runs all tests but the long ones', () => {
    const { lines, calls } = run({});
    expect(lines).toEqual(['== tests', '== types', '12 passed, 0 failed']);
    expect(calls.find((call) => call.startsWith('jest'))).toMatch(
      /^jest --ci --testPathIgnorePatterns \/test\/\(cluster\|e2e\|package\|soak\)\/ \/test\/\(\S+\)\\\.test\\\.ts\$ NODE_ENV=test$/,
    );
  });

  it.each([...long.rungs, ...long.files.map((file) => `${file}.test.ts`)])(
    'leaves out only tests that exist: %s',
    (name) => {
      expect(existsSync(join(REPOSITORY, 'test', name))).toBe(true);
    },
  );

  it('names every step in order with --all, and ends with the count of jest', () => {
    const { lines, status, calls } = run({}, { args: ['--all'] });
    expect(lines).toEqual([
      '== tests',
      '== types',
      '== format',
      '== lint',
      '== circles',
      '== dead exports',
      '== doors',
      '12 passed, 0 failed',
    ]);
    expect(status).toBe(0);
    expect([...calls].sort()).toEqual([
      'depcruise src sandbox soak bench model observability NODE_ENV=test',
      'eslint --max-warnings 0 . NODE_ENV=test',
      'jest --ci NODE_ENV=test',
      'knip  NODE_ENV=test',
      'knip --config knip.doors.config.js --include types NODE_ENV=test',
      'prettier --check . NODE_ENV=test',
      'tsc --build tsconfig.json NODE_ENV=test',
    ]);
  });

  it('passes its arguments to jest, and sets NODE_ENV even in a production environment', () => {
    const { calls } = run({}, { args: ['--all', '--selectProjects', 'pure'], env: { NODE_ENV: 'production' } });
    expect(calls).toContain('jest --ci --selectProjects pure NODE_ENV=test');
  });

  it.each([
    ['tsc', []],
    ['prettier', ['== format']],
    ['eslint', ['== format', '== lint']],
    ['depcruise', ['== format', '== lint', '== circles']],
    ['knip', ['== format', '== lint', '== circles', '== dead exports']],
  ] as const)('prints the output of a failing %s and ends the tests', (tool, steps) => {
    const { lines, status } = run(
      {
        [tool]: `console.error('wrong: ${tool}'); process.exit(2)`,
        jest: 'setTimeout(() => undefined, 600_000)',
      },
      { args: ['--all'] },
    );
    expect(lines).toEqual(['== tests', '== types', ...steps, `wrong: ${tool}`, '0 passed, 1 failed']);
    expect(status).toBe(1);
  });

  it('passes on the failure count and the exit code of jest', () => {
    const { lines, status } = run({ jest: "console.log('3 passed, 2 failed'); process.exitCode = 1" });
    expect(lines.at(-1)).toBe('3 passed, 2 failed');
    expect(status).toBe(1);
  });

  it('counts one failure when jest breaks before it prints a count', () => {
    const { lines, status } = run({ jest: "process.stdout.write('half a line'); process.exit(1)" });
    expect(lines.slice(-2)).toEqual(['half a line', '0 passed, 1 failed']);
    expect(status).toBe(1);
  });

  it('bootstraps by itself exactly when npm has not done so', () => {
    expect(run({}).isBootstrapped).toBe(false);
    expect(run({}, { env: { npm_config_ignore_scripts: 'true' } }).isBootstrapped).toBe(true);
    expect(run({}, { env: { npm_lifecycle_event: undefined } }).isBootstrapped).toBe(true);
  });
});
