/** What `npm run release:check` reports, for the repository as it is and for mistakes. Nothing is published. */
import { readText } from './read-docs.js';

type Checks = Readonly<Record<string, (...given: readonly unknown[]) => readonly string[]>>;
const CHECKS = jest.requireActual<Checks>('../../scripts/release-check.cjs');
const check = (name: string, ...given: readonly unknown[]): readonly string[] => CHECKS[name]?.(...given) ?? [name];

const { version } = JSON.parse(readText('package.json')) as { readonly version: string };
const lock = JSON.parse(readText('package-lock.json')) as { readonly packages: Readonly<Record<string, object>> };
const read = (file: string): string => readText(...file.split('/'));

describe('a release', () => {
  it('has the same version in all places, and an entry in the changelog', () => {
    expect(check('versionProblems', version, read)).toEqual([]);
    expect(check('versionProblems', '9.9.9', read)).toContain(
      `docs/deploy.md says ${version}; expected 9.9.9, as package.json does`,
    );
    expect(check('changelogProblems', version, readText('CHANGELOG.md'))).toEqual([]);
    const empty = '# Changelog\n\n## [1.0.0] - 2026-01-01\n\n## [0.9.0] - 2025-01-01\n\n- Something.\n';
    expect(check('changelogProblems', '1.0.0', empty)).toEqual(['CHANGELOG.md tells nothing of 1.0.0']);
  });

  it('depends only on packages with allowed licences', () => {
    expect(check('licenceProblems', lock.packages)).toEqual([]);
    const other = { ...lock.packages, 'node_modules/zod': { version: '4.0.0', license: 'AGPL-3.0-only' } };
    expect(check('licenceProblems', other)).toEqual([
      'zod is under AGPL-3.0-only, which is not in the list of scripts/release-check.cjs',
    ]);
  });

  it('has no tests, no secrets and no source maps without a source in its tarball', () => {
    const files = {
      'dist/a.js.map': '{"sources":["../src/a.ts"]}',
      'dist/b.js.map': '{"sources":["../src/b.ts"]}',
      'src/a.ts': '',
      'test/a.test.ts': '',
      'key.txt': '-----BEGIN PRIVATE KEY-----\nMIIE',
    };
    const problems = check('tarballProblems', Object.keys(files), (file: keyof typeof files) => files[file]);
    expect(problems).toEqual([
      'test/a.test.ts is in the tarball',
      'key.txt looks like it holds a secret',
      '1 source maps lead to no source, like dist/b.js.map: delete dist/, it has files of an earlier build',
    ]);
  });

  it('is published by a workflow with the permission id-token: write', () => {
    const workflow = readText('.github', 'workflows', 'release.yml');
    expect(check('workflowProblems', workflow)).toEqual([]);
    expect(check('workflowProblems', workflow.replace('id-token: write', 'id-token: none'))).toEqual([
      '.github/workflows/release.yml lacks the permission id-token: write',
    ]);
  });

  it('names the repository that its workflow runs in, and reports a missing name', () => {
    const inWorkflow = { GITHUB_REPOSITORY: 'ana/tramita' };
    const url = 'git+https://github.com/ana/tramita.git';
    expect(check('repositoryProblems', { type: 'git', url }, inWorkflow)).toEqual([]);
    expect(check('repositoryProblems', url, {})).toEqual([]);
    expect(check('repositoryProblems', url, { GITHUB_REPOSITORY: 'bia/tramita' })).toEqual([
      `package.json says "${url}"; expected "git+https://github.com/bia/tramita.git"`,
    ]);
    expect(check('repositoryProblems', undefined, inWorkflow)).toEqual([
      `package.json names no repository; expected "repository": { "url": "${url}" }`,
    ]);
    expect(check('repositoryProblems', undefined, {})).toHaveLength(1);
  });
});
