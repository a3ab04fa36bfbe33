/** `@tramita/client` as a user gets it: only the files that its entry points reach, and only the packages that those need. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packClient, packPackage, REPOSITORY, runNode, typeErrors, type Consumer } from './pack-package.js';

let client: Consumer;
beforeAll(() => {
  client = packClient();
});
afterAll(() => client.remove());

const write = (name: string, text: string): string => {
  writeFileSync(join(client.folder, name), text);
  return name;
};

describe('@tramita/client', () => {
  it('contains the entry points of a client, the schemas and the documents, and no worker code', () => {
    expect(client.files).toEqual(
      expect.arrayContaining(['README.md', 'LICENSE', 'dist/src/client.js', 'src/client.ts', 'schemas/index.json']),
    );
    const heavy = /^(dist\/)?(sandbox|src\/(workers|workflows|activities|bridge|ledger|store|http|cli|local))\//;
    // Where payloads are encrypted, Temporal's client loads this module by its path.
    const byPath = /\/encoded-failures\.(js|js\.map|ts)$/;
    const isHeavy = (file: string): boolean => heavy.test(file) && !file.endsWith('.d.ts') && !byPath.test(file);
    expect(client.files.filter(isHeavy)).toEqual([]);
  });

  it('has the version of tramita, and depends on these packages in the same versions', () => {
    const text = readFileSync(join(REPOSITORY, 'package.json'), 'utf8');
    const whole = JSON.parse(text) as Consumer['manifest'];
    const { version, license, engines, dependencies, peerDependencies } = client.manifest;
    expect({ version, license, engines }).toEqual({
      version: whole.version,
      license: whole.license,
      engines: whole.engines,
    });
    expect(Object.keys(dependencies)).toEqual(['@brazilian-utils/brazilian-utils', 'zod']);
    expect(Object.keys(peerDependencies)).toEqual([
      ...['client', 'common', 'envconfig', 'proto'].map((name) => `@temporalio/${name}`),
      'nexus-rpc',
    ]);
    expect(whole.dependencies).toMatchObject(dependencies);
    expect(whole.peerDependencies).toMatchObject(peerDependencies);
  });

  it('exports from CommonJS and ESM what tramita/client exports', () => {
    const count =
      "console.log(Object.keys(door).filter((name) => !['default', 'module.exports', '__esModule'].includes(name)).length)";
    const whole = packPackage();
    try {
      writeFileSync(join(whole.folder, 'whole.cjs'), `const door = require('tramita/client'); ${count}`);
      const names = runNode(whole, ['whole.cjs']);
      expect(Number(names)).toBeGreaterThan(40);
      expect(runNode(client, [write('cjs.cjs', `const door = require('@tramita/client'); ${count}`)])).toBe(names);
      expect(runNode(client, [write('esm.mjs', `import * as door from '@tramita/client'; ${count}`)])).toBe(names);
    } finally {
      whole.remove();
    }
  });

  it('creates a client that encrypts payloads and failures where payload keys are set', () => {
    const script = `const { Client } = require('@temporalio/client');
      const { connectClient, createDataConverter, loadTemporalConnection } = require('@tramita/client');
      const temporal = loadTemporalConnection({ TRAMITA_PAYLOAD_KEYS: 'k1:' + Buffer.alloc(32, 1).toString('base64') });
      const client = new Client({ connection: connectClient(temporal), dataConverter: createDataConverter(temporal) });
      const { failureConverter, payloadConverter } = client.options.loadedDataConverter;
      console.log(failureConverter.errorToFailure(new Error('secret'), payloadConverter).message);`;
    expect(runNode(client, [write('encrypted.cjs', script)])).toBe('Encoded failure\n');
  });

  it('exports the schemas', () => {
    const script = "console.log(require('@tramita/client/schemas/refreshCase.input.json').title)";
    expect(runNode(client, [write('schema.cjs', script)])).toBe('RefreshCaseInput\n');
  });

  it('has types with which its README example compiles, for every kind of module resolution', () => {
    const [, example = ''] = /^```ts\n([\s\S]*?)^```/m.exec(
      readFileSync(join(client.packageFolder, 'README.md'), 'utf8'),
    ) ?? [''];
    expect(example).toContain('startRefreshCase(');
    const doors =
      "export { refreshCaseId } from '@tramita/client/protocol';\nexport { parseCnj } from '@tramita/client/contract';\nexport { tramitaService } from '@tramita/client/nexus';\n";
    for (const file of ['readme.mts', 'readme.cts', 'readme.ts']) write(file, example + doors);
    const cases = [
      { options: { module: 'nodenext' }, files: ['readme.mts', 'readme.cts'] },
      { options: { module: 'esnext', moduleResolution: 'bundler' }, files: ['readme.ts'] },
      { options: { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0' }, files: ['readme.ts'] },
    ];
    for (const { options, files } of cases) expect(typeErrors(client, options, files)).toEqual([]);
  });
});
