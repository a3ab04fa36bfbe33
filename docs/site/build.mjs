/**
 * Makes the site: the pages of the API from the doors of `package.json`, then everything with VitePress, which fails on a link
 * that leads nowhere. VitePress finds its own packages from the pages, so it works on copies, in `pages/`. The result is `dist/site`.
 */
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';
import { build } from 'vitepress';
import { brokenLinks } from './check-links.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '..', '..');
/** One file per door: TypeDoc calls a module by the file that it begins with. */
const DOORS = join(ROOT, '.tramita', 'site-doors');
const PAGES = join(HERE, 'pages');
const { exports: doors } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

for (const made of [DOORS, PAGES]) rmSync(made, { recursive: true, force: true });
mkdirSync(DOORS, { recursive: true });
const entryPoints = Object.entries(doors)
  .filter(([, door]) => typeof door === 'object')
  .map(([path, { types }]) => {
    const source = join(ROOT, types.replace(/^\.\/dist\//, '').replace(/\.d\.ts$/, '.js'));
    const entry = join(DOORS, `${path === '.' ? 'tramita' : path.slice(2)}.ts`);
    writeFileSync(entry, `export * from ${JSON.stringify(source)};\n`);
    return entry;
  });

const documents = readdirSync(join(ROOT, 'docs'), { recursive: true })
  .filter((file) => file.endsWith('.md') && !file.startsWith('site'))
  .map((file) => join('docs', file));
const examples = readdirSync(join(ROOT, 'examples'), { recursive: true })
  .filter((file) => file.endsWith('README.md') && !file.includes('node_modules'))
  .map((file) => join('examples', file));
for (const page of ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...examples, ...documents]) {
  cpSync(join(ROOT, page), join(PAGES, page));
}
cpSync(join(ROOT, 'docs', 'images'), join(PAGES, 'docs', 'images'), { recursive: true });

const app = await Application.bootstrapWithPlugins({
  name: 'API',
  entryPoints,
  out: join(PAGES, 'api'),
  basePath: DOORS,
  tsconfig: join(HERE, 'tsconfig.json'),
  plugin: ['typedoc-plugin-markdown'],
  readme: 'none',
  entryFileName: 'index',
  logLevel: 'Error',
  // The types are checked elsewhere; names that no door has are shown as text.
  skipErrorChecking: true,
  disableSources: true,
  excludePrivate: true,
  validation: false,
  hidePageHeader: true,
  hideBreadcrumbs: true,
});
const api = await app.convert();
if (api === undefined) throw new Error('tramita: TypeDoc made nothing of the doors');
await app.generateOutputs(api);
await build(HERE);
const broken = brokenLinks(join(ROOT, 'dist', 'site'));
if (broken.length > 0) throw new Error(`tramita: links that lead nowhere:\n${broken.join('\n')}`);
