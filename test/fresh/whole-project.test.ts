/**
 * `tramita` as developers meet it: one empty project, `npm install` of the tarball, and the examples of README and
 * `docs/workers.md` run in both module systems: a worker of their own, the plugin, and a start (`npm run test:package`).
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { cnjDigits } from '../../src/contract/index.js';
import { withFlows } from '../flows/with-flows.js';
import { packPackage, type Consumer } from '../package/pack-package.js';
import { readText, snippetsIn } from '../package/read-docs.js';
import { newCaseWithDocuments } from '../support/case-number.js';
import { withFigures } from './figures.js';
import {
  bareEnvironment,
  freshProject,
  type Environment,
  type FreshProject,
  type Installation,
} from './fresh-project.js';

jest.setTimeout(600_000);

const examples = ['README.md', 'docs/workers.md']
  .flatMap((file) => snippetsIn(file, readText(file)))
  .filter(({ language }) => language === 'ts')
  .map(({ text }) => text);
const exampleWith = (name: string): string => {
  const found = examples.filter((each) => each.includes(name));
  expect(found).toHaveLength(1);
  return found[0] ?? '';
};

/** The plugin's example finds the flows in `dist/workflows.js` of its working directory. */
const programs = (): Readonly<Record<string, string>> => ({
  'start.ts': exampleWith('startRefreshCase('),
  'main.ts':
    "import { refresh } from './start.js';\nvoid refresh(process.env['CASE'] ?? '').then(() => process.exit(0));\n",
  'worker.ts': exampleWith('createWorker('),
  'plugin.ts': exampleWith('new TramitaPlugin('),
  'workflows.ts': "export * from 'tramita/workflow';\nexport { default } from 'tramita/workflow';\n",
});

const figures = withFigures();

describe('tramita', () => {
  const flows = withFlows({ worker: false });
  let whole: Consumer;
  let project: FreshProject;
  let installed: Installation;
  beforeAll(async () => {
    whole = packPackage();
    project = freshProject({}, figures);
    installed = await project.install([whole.tarball]);
    await project.install(['--save-dev', 'typescript@6.0.3', '@types/node@20.19.43', 'pino@10.4.0']);
  }, 240_000);
  afterAll(() => {
    project.remove();
    whole.remove();
  });

  it('installs without warnings, and has a working command', async () => {
    expect(installed.warnings).toEqual([]);
    const { version } = whole.manifest;
    const output = await project.node(['node_modules/tramita/dist/src/cli/main.js', '--version']);
    expect(output).toEqual({ text: `${version}\n`, exitCode: 0 });
  });

  const SYSTEMS = [
    { below: 'cjs', manifest: {}, system: 'CommonJS' },
    { below: 'esm', manifest: { type: 'module' }, system: 'ES modules' },
  ];

  it('has types with which the examples compile in both module systems', async () => {
    for (const { below, manifest } of SYSTEMS) {
      project.write({
        [`${below}/package.json`]: JSON.stringify(manifest),
        ...Object.fromEntries(Object.entries(programs()).map(([name, text]) => [`${below}/dist/${name}`, text])),
      });
    }
    // Compiled in place.
    expect(await project.compile({ module: 'node16' })).toEqual([]);
  });

  it.each(SYSTEMS)('runs the examples as $system', async ({ below, system }) => {
    for (const worker of ['worker', 'plugin']) {
      const startedMs = Date.now();
      const stop = startWorker(join(project.folder, below), `dist/${worker}.js`, flows.env);
      const cnj = newCaseWithDocuments();
      const output = await project.node(['dist/main.js'], { below, env: { ...flows.env, CASE: cnj } });
      expect(await stop()).toMatchObject({ exitCode: 0 });
      expect(output).toMatchObject({ exitCode: 0, text: expect.stringMatching(/^\w+ [1-9]\d* 0\.\d+$/m) as string });
      figures.note(`${system}, ${worker} of the examples`, installed, Date.now() - startedMs);
      const charged = await flows.charges({ cnj: cnjDigits(cnj) });
      expect(charged).toHaveLength(2);
    }
  });
});

/** Starts a worker of the user. The returned function stops it with SIGTERM and resolves with its exit code and output. */
function startWorker(
  cwd: string,
  file: string,
  env: Environment,
): () => Promise<{ readonly exitCode: number | null; readonly text: string }> {
  const child = spawn(process.execPath, [file], { cwd, env: { ...bareEnvironment(), ...env } });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return async () => {
    if (child.exitCode === null) child.kill('SIGTERM');
    const bound = setTimeout(() => child.kill('SIGKILL'), 30_000);
    await ended;
    clearTimeout(bound);
    return { exitCode: child.exitCode, text };
  };
}
