/**
 * Makes the site: the pages of the API from the doors of `package.json`, then everything with VitePress, which fails on a link
 * that leads nowhere. The result is `dist/site`.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';
import { build } from 'vitepress';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '..', '..');
/** One file per door: TypeDoc calls a module by the file that it begins with. */
const DOORS = join(ROOT, '.tramita', 'site-doors');
const { exports: doors } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

rmSync(DOORS, { recursive: true, force: true });
mkdirSync(DOORS, { recursive: true });
const entryPoints = Object.entries(doors)
  .filter(([, door]) => typeof door === 'object')
  .map(([path, { types }]) => {
    const source = join(ROOT, types.replace(/^\.\/dist\//, '').replace(/\.d\.ts$/, '.js'));
    const entry = join(DOORS, `${path === '.' ? 'tramita' : path.slice(2)}.ts`);
    writeFileSync(entry, `export * from ${JSON.stringify(source)};\n`);
    return entry;
  });

const app = await Application.bootstrapWithPlugins({
  name: 'API',
  entryPoints,
  ...{ basePath: DOORS, tsconfig: join(HERE, 'tsconfig.json'), plugin: ['typedoc-plugin-markdown'] },
  ...{ readme: 'none', entryFileName: 'index', router: 'module', logLevel: 'Error' },
  // The types are checked elsewhere; names that no door has are shown as text.
  ...{ skipErrorChecking: true, disableSources: true, excludePrivate: true, validation: false },
  ...{ hidePageHeader: true, hideBreadcrumbs: true },
});
const api = await app.convert();
if (api === undefined) throw new Error('tramita: TypeDoc made nothing of the doors');
await app.generateOutputs(api);
await app.generateDocs(api, join(HERE, 'api'));
await build(HERE);
