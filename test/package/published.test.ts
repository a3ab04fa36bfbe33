/** Checks both packages with tools that find what breaks in other projects: publint and `attw` (are the types wrong?). */
import { join } from 'node:path';
import { packClient, packPackage, REPOSITORY, runNode, type Consumer } from './pack-package.js';

jest.setTimeout(120_000);

const tool = (...parts: readonly string[]): string => join(REPOSITORY, 'node_modules', ...parts);

describe.each([
  { name: 'tramita', pack: () => packPackage() },
  { name: '@tramita/client', pack: packClient },
])('the tarball of $name', ({ pack }) => {
  let consumer: Consumer;
  beforeAll(() => {
    consumer = pack();
  });
  afterAll(() => consumer.remove());

  it('passes publint', () => {
    const output = runNode(consumer, [tool('publint', 'src', 'cli.js'), 'run', consumer.tarball, '--strict']);
    expect(output).toContain('All good!');
  });

  it('has types that agree with its code, for every kind of module resolution', () => {
    runNode(consumer, [tool('@arethetypeswrong', 'cli', 'dist', 'index.js'), consumer.tarball, '--quiet']);
  });
});
