/**
 * `npm run release:check`: whether this tree can be published as it is. It builds both packages, inspects their tarballs
 * and publishes nothing. It leaves the SBOM in `dist/sbom.json`. Each check returns its problems as sentences, printed one
 * per line.
 */
'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const root = path.resolve(__dirname, '..');
const read = (...parts) => fs.readFileSync(path.join(root, ...parts), 'utf8');
const readJson = (...parts) => JSON.parse(read(...parts));

/** SPDX names of licences that a program under MIT may bundle with nothing more than their notice. */
const LICENCES = [
  ...['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'BlueOak-1.0.0'],
  ...['Unlicense', 'CC0-1.0', 'CC-BY-4.0', 'Python-2.0'],
];
/** Packages whose manifest names no licence, and the licence in their LICENSE file. */
const LICENCE_FILES = { unionfs: 'Unlicense' };

/** The version must be in each of these places exactly once. */
function versionProblems(version, texts) {
  const places = [
    ['package-lock.json', /^ {2}"version": "([^"]+)"/m],
    ['deploy/kubernetes/kustomization.yaml', /newTag: (\S+)/],
    ['deploy/kubernetes/migrate/kustomization.yaml', /newTag: (\S+)/],
    ['docs/deploy.md', /registry\.example\.com\/tramita:(\d+\.\d+\.\d+)/],
    ['docs/deploy.md', /--build-id (\S+)/],
    ...['backend', 'events', 'portfolio', 'worker'].map((name) => [
      `examples/${name}/package.json`,
      /"tramita": "\^([^"]+)"/,
    ]),
    ['docs/upgrade.md', /^### (\d+\.\d+\.\d+)$/m],
    ['CHANGELOG.md', /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/m],
  ];
  return places.flatMap(([file, form]) => {
    const found = form.exec(texts(file))?.[1];
    return found === version
      ? []
      : [`${file} says ${found ?? 'no version'}; expected ${version}, as package.json does`];
  });
}

/** The changelog's section about this version must have at least one entry. */
function changelogProblems(version, changelog) {
  const [, section = ''] = changelog.split(`## [${version}]`);
  const entries = section.split(/^## /m)[0].match(/^- ./gm) ?? [];
  return entries.length > 0 ? [] : [`CHANGELOG.md tells nothing of ${version}`];
}

/** A tarball must contain no tests, secrets or development files; each source map must refer to a source that exists. */
function tarballProblems(files, readFile) {
  const wrong =
    /(^|\/)(test|bench|soak|coverage|node_modules|scripts|\.github|\.tramita)\/|\.(tsbuildinfo|tgz|log|env|pem|key)$|\.test\./;
  const secret = /-----BEGIN [A-Z ]*PRIVATE KEY-----\s*\w|\b(npm_|ghp_|AKIA)[A-Za-z0-9]{16,}/;
  const has = new Set(files);
  const isThere = (map) => (source) => has.has(path.posix.join(path.posix.dirname(map), source));
  const maps = files.filter((file) => file.endsWith('.map'));
  const lost = maps.filter((file) => !JSON.parse(readFile(file)).sources.every(isThere(file)));
  return [
    ...files.filter((file) => wrong.test(file)).map((file) => `${file} is in the tarball`),
    ...files.filter((file) => secret.test(readFile(file))).map((file) => `${file} looks like it holds a secret`),
    ...(lost.length === 0
      ? []
      : [
          `${lost.length} source maps lead to no source, like ${lost[0]}: delete dist/, it has files of an earlier build`,
        ]),
  ];
}

/** Every package that an installation brings: dependencies and peers, direct or indirect, by the lock file. */
function licenceProblems(packages) {
  const seen = new Set();
  const visit = (from, names) => {
    for (const name of names) {
      let folder = from;
      let at;
      while (
        packages[(at = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`)] === undefined &&
        folder !== ''
      ) {
        folder = folder.includes('/node_modules/') ? folder.slice(0, folder.lastIndexOf('/node_modules/')) : '';
      }
      const found = packages[at];
      if (found === undefined || seen.has(at)) continue;
      seen.add(at);
      const { dependencies, optionalDependencies, peerDependencies } = found;
      visit(at, Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }));
    }
  };
  const own = packages[''];
  visit('', Object.keys({ ...own.dependencies, ...own.peerDependencies }));
  return [...seen].sort().flatMap((at) => {
    const name = at.slice(at.lastIndexOf('node_modules/') + 13);
    const licence = packages[at].license ?? LICENCE_FILES[name] ?? 'none';
    const anyOf = licence.replace(/^\((.*)\)$/, '$1').split(' OR ');
    const isAllowed = anyOf.some((each) => each.split(' AND ').every((one) => LICENCES.includes(one)));
    return isAllowed ? [] : [`${name} is under ${licence}, which is not in the list of scripts/release-check.cjs`];
  });
}

/** npm attests where a package was built only in a workflow that may request an identity token. */
function workflowProblems(workflow) {
  const needs = [
    [/^\s+id-token: write$/m, 'the permission id-token: write'],
    [/npm run release:check/, 'npm run release:check'],
    [/npm publish --provenance/, 'npm publish --provenance'],
    [/npm publish [^\n]*dist\/client-package/, 'the package of the client'],
  ];
  return needs
    .filter(([form]) => !form.test(workflow))
    .map(([, what]) => `.github/workflows/release.yml lacks ${what}`);
}

/**
 * npm accepts a signed package only from the repository that its manifest names. Only the release workflow knows that
 * repository (`GITHUB_REPOSITORY`); elsewhere this can only check that the manifest names one.
 */
function repositoryProblems(repository, { GITHUB_REPOSITORY: name }) {
  const url = typeof repository === 'string' ? repository : repository?.url;
  const expected =
    name === undefined ? 'git+https://github.com/<owner>/<name>.git' : `git+https://github.com/${name}.git`;
  if (url === undefined) return [`package.json names no repository; expected "repository": { "url": "${expected}" }`];
  return name === undefined || url === expected ? [] : [`package.json says "${url}"; expected "${expected}"`];
}

module.exports = {
  changelogProblems,
  licenceProblems,
  repositoryProblems,
  tarballProblems,
  versionProblems,
  workflowProblems,
};
if (require.main === module) main();

function main() {
  const { version } = readJson('package.json');
  const target = fs.mkdtempSync(path.join(os.tmpdir(), 'tramita-release-'));
  process.on('exit', () => fs.rmSync(target, { recursive: true, force: true }));
  run(process.execPath, [path.join('scripts', 'make-client-package.cjs')]);
  const tarballs = [root, path.join(root, 'dist', 'client-package')].map((source) => pack(source, target));
  const checks = [
    ['version', () => versionProblems(version, read)],
    ['changelog', () => changelogProblems(version, read('CHANGELOG.md'))],
    ['licences', () => licenceProblems(readJson('package-lock.json').packages)],
    ['workflow', () => workflowProblems(read('.github', 'workflows', 'release.yml'))],
    ['SBOM', sbomProblems],
    ...tarballs.flatMap(({ name, file, files, folder }) => [
      [`tarball of ${name}`, () => tarballProblems(files, (each) => fs.readFileSync(path.join(folder, each), 'utf8'))],
      [`publint of ${name}`, () => complaintsOf(tool('publint', 'src', 'cli.js'), ['run', file, '--strict'])],
      [`types of ${name}`, () => complaintsOf(tool('@arethetypeswrong', 'cli', 'dist', 'index.js'), [file, '--quiet'])],
    ]),
  ];
  let failed = 0;
  for (const [title, check] of checks) {
    const problems = check();
    failed += problems.length;
    say(problems.length === 0 ? `ok      ${title}` : problems.map((each) => `failed  ${title}: ${each}`).join('\n'));
  }
  const named = repositoryProblems(readJson('package.json').repository, process.env);
  const isTheWorkflow = process.env.GITHUB_REPOSITORY !== undefined;
  const toFillIn = isTheWorkflow ? 0 : named.length;
  failed += named.length - toFillIn;
  for (const each of named) say(`${isTheWorkflow ? 'failed' : 'fill in'} repository: ${each}`);
  if (named.length === 0) say('ok      repository');
  const onceFilledIn = toFillIn === 0 ? '' : ' once the repository is filled in: without it npm refuses the provenance';
  say(
    failed === 0 ? `${version} can be published${onceFilledIn}` : `${failed} problems: ${version} cannot be published`,
  );
  process.exitCode = failed === 0 ? 0 : 1;
}

function sbomProblems() {
  const file = path.join(root, 'dist', 'sbom.json');
  const text = run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--omit', 'dev']);
  fs.writeFileSync(file, text);
  const { components = [] } = JSON.parse(text);
  return components.length > 50 ? [] : [`dist/sbom.json lists ${components.length} packages`];
}

function pack(source, target) {
  const [packed] = JSON.parse(run('npm', ['pack', source, '--ignore-scripts', '--json', '--pack-destination', target]));
  const file = path.join(target, packed.filename);
  const folder = path.join(target, packed.name.replace(/\W/g, '-'));
  fs.mkdirSync(folder);
  run('tar', ['-xzf', file, '-C', folder, '--strip-components', '1']);
  return { name: packed.name, file, folder, files: packed.files.map((each) => each.path) };
}

function tool(...parts) {
  return path.join(root, 'node_modules', ...parts);
}

/** The output of a tool that fails. */
function complaintsOf(program, args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { cwd: root, encoding: 'utf8' });
  return status === 0 ? [] : [`${stdout}${stderr}`.trim()];
}

function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  throw new Error(`tramita: ${command} ${args.join(' ')} failed: ${error?.message ?? `${stdout}${stderr}`}`);
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
