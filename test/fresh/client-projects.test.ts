/**
 * `@tramita/client` as developers meet it: empty projects of five kinds, `npm install` of the tarball with the registry of npm's
 * configuration, and the first result of a flow on a live stack (`npm run test:package`).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cnjDigits } from '../../src/contract/index.js';
import { withFlows } from '../flows/with-flows.js';
import { packClient, type Consumer } from '../package/pack-package.js';
import { newCase } from '../support/case-number.js';
import { withFigures } from './figures.js';
import { freshProject, type Environment } from './fresh-project.js';
import { KINDS } from './kinds.js';

jest.setTimeout(600_000);

const MAX_MEGABYTES = 60;

const figures = withFigures();

describe('@tramita/client', () => {
  const flows = withFlows();
  /** The environment of a backend: no key of the service, no database. */
  const clientEnv = (): Environment => ({
    TEMPORAL_ADDRESS: process.env['TRAMITA_TEST_TEMPORAL_ADDRESS'] ?? '',
    TRAMITA_TASK_QUEUE: flows.taskQueue,
    TRAMITA_ID_KEY: flows.env['TRAMITA_ID_KEY'] ?? '',
  });
  let client: Consumer;
  let example: string;
  beforeAll(() => {
    client = packClient();
    const text = readFileSync(join(client.packageFolder, 'README.md'), 'utf8');
    [, example = ''] = /^```ts\n([\s\S]*?)^```/m.exec(text) ?? [];
  });
  afterAll(() => client.remove());

  it.each(KINDS)(
    'installs small and without warnings in an empty project ($name), and refreshes a case',
    async (kind) => {
      const project = freshProject(kind.manifest, figures);
      try {
        const installed = await project.install([client.tarball]);
        expect(installed).toMatchObject({ warnings: [], native: [] });
        expect(installed.megabytes).toBeLessThanOrEqual(MAX_MEGABYTES);

        await project.install(['--save-dev', ...kind.tools]);
        project.write(kind.files(example));
        expect(await project.compile(kind.compilerOptions)).toEqual([]);

        const cnj = newCase();
        const startedMs = Date.now();
        const output = await kind.run(project, { ...clientEnv(), CASE: cnj });
        expect(output).toMatchObject({
          exitCode: 0,
          text: expect.stringMatching(/refreshed at 20\d\d-\S+Z/) as string,
        });
        figures.note(kind.name, installed, Date.now() - startedMs);
        const charged = await flows.charges({ cnj: cnjDigits(cnj) });
        expect(charged).toHaveLength(1);
      } finally {
        project.remove();
      }
    },
  );
});
