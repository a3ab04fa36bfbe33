/**
 * Makes `dist/client-package/`, ready for `npm pack` or `npm publish`: `@tramita/client`, the part of this package that a
 * backend needs. It contains the compiled files that the entries in `packages/client/manifest.json` reach. Its version, and
 * the versions of the packages that those files import, are those of this package.
 */
'use strict';
const fs = require('node:fs');
const { isBuiltin } = require('node:module');
const path = require('node:path');

const root = path.resolve(__dirname, '..');
const target = path.join(root, 'dist', 'client-package');
const template = path.join(root, 'packages', 'client');
const readJson = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

const own = readJson(path.join(template, 'manifest.json'));
const whole = readJson(path.join(root, 'package.json'));
/** No import names this file: Temporal's client loads it by its path when payloads are encrypted. */
const BY_PATH = ['./dist/src/workflows/converter/encoded-failures.js'];
const { files, packages } = reach(
  Object.values(own.exports)
    .flatMap((door) => (typeof door === 'string' ? [] : Object.values(door)))
    .concat(BY_PATH)
    .map((file) => path.join(root, file)),
);

fs.rmSync(target, { recursive: true, force: true });
for (const file of files) copy(file);
for (const name of fs.readdirSync(path.join(root, 'schemas'))) copy(path.join(root, 'schemas', name));
copy(path.join(root, 'LICENSE'));
fs.copyFileSync(path.join(template, 'README.md'), path.join(target, 'README.md'));
const manifest = {
  name: own.name,
  version: whole.version,
  ...own,
  ...(whole.repository === undefined ? {} : { repository: whole.repository }),
  license: whole.license,
  type: whole.type,
  engines: whole.engines,
  sideEffects: false,
  dependencies: versionsIn(whole.dependencies),
  peerDependencies: versionsIn(whole.peerDependencies),
};
const unknown = packages.filter((name) => !(name in manifest.dependencies) && !(name in manifest.peerDependencies));
if (unknown.length > 0) throw new Error(`tramita: package.json does not depend on ${unknown.join(', ')}`);
fs.writeFileSync(path.join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);

/** The files that `doors` import at any distance, with their source maps and sources; and the packages that they import. */
function reach(doors) {
  const files = new Set();
  const packages = new Set();
  const visit = (file) => {
    if (files.has(file)) return;
    files.add(file);
    for (const specifier of importsOf(file)) {
      if (!specifier.startsWith('.')) {
        if (!isBuiltin(specifier)) packages.add(specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
        continue;
      }
      const imported = path.resolve(path.dirname(file), specifier);
      visit(file.endsWith('.d.ts') ? imported.replace(/\.js$/, '.d.ts') : imported);
    }
  };
  doors.forEach(visit);
  for (const file of [...files].filter((each) => each.endsWith('.js'))) {
    files.add(`${file}.map`);
    files.add(path.join(root, path.relative(path.join(root, 'dist'), file).replace(/\.js$/, '.ts')));
  }
  return { files: [...files].sort(), packages: [...packages].sort() };
}

/** Finds imports as the compiler writes them: one per statement, and in declarations at the beginning of a line. */
function importsOf(file) {
  const text = fs.readFileSync(file, 'utf8');
  const form = file.endsWith('.d.ts')
    ? /(?:^(?:import|export)[^;'"]*? from |^import |\bimport\()(['"])([^'"]+)\1/gm
    : /\brequire\((['"])([^'"]+)\1\)/g;
  return [...text.matchAll(form)].map(([, , specifier]) => specifier);
}

function versionsIn(versions) {
  return Object.fromEntries(Object.entries(versions).filter(([name]) => packages.includes(name)));
}

function copy(file) {
  const to = path.join(target, path.relative(root, file));
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.copyFileSync(file, to);
}
