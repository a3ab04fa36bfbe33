/**
 * The examples in TypeScript as a new user gets them: installed from the registry, with the tarball in place of the published
 * package, compiled, and run on a stack of their own (`npm run test:examples`).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packPackage, REPOSITORY, type Consumer } from '../package/pack-package.js';
import { copyExample, EXAMPLES } from '../support/examples.js';
import { withFigures } from './figures.js';
import { freshProject } from './fresh-project.js';

jest.setTimeout(600_000);

const figures = withFigures();

(process.env['TRAMITA_TEST_EXAMPLES'] === '1' ? describe : describe.skip)('the example', () => {
  let whole: Consumer;
  beforeAll(() => {
    whole = packPackage();
  });
  afterAll(() => whole.remove());

  it.each(EXAMPLES)('$name installs, compiles and prints its expected result', async ({ name, says }) => {
    const manifest = JSON.parse(readFileSync(join(REPOSITORY, 'examples', name, 'package.json'), 'utf8')) as object;
    const project = freshProject(manifest, figures);
    try {
      copyExample(name, project.folder);
      const installed = await project.install([whole.tarball]);
      expect(await project.node(['node_modules/typescript/bin/tsc'])).toEqual({ text: '', exitCode: 0 });
      const startedMs = Date.now();
      const output = await project.node(['dist/try.js']);
      expect(output).toEqual({ text: expect.stringMatching(new RegExp(`^${says}$`, 'm')) as string, exitCode: 0 });
      figures.note(name, installed, Date.now() - startedMs);
    } finally {
      project.remove();
    }
  });
});
