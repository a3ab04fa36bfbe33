/**
 * What users install: every export resolves from CommonJS and from ESM, has types, and nothing is in the tarball that does
 * not belong there. Built sources come from `dist/`.
 */
import { bundleWorkflowCode } from '@temporalio/worker';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { packPackage, runNode, typeErrors, type Consumer } from './pack-package.js';
import { readText, snippetsIn } from './read-docs.js';

jest.setTimeout(180_000);

/** Import path → a name that must be there. */
const ENTRY_POINTS = {
  tramita: 'startRefreshCase',
  'tramita/client': 'connectClient',
  'tramita/workflow': 'refreshCase',
  'tramita/payload-converter': 'tolerateForFlows',
  'tramita/protocol': 'refreshCaseId',
  'tramita/nexus': 'tramitaService',
  'tramita/contract': 'parseCnj',
  'tramita/sandbox': 'startSandbox',
  'tramita/testing': 'createTestStack',
} as const;
const TYPEOF_OUTPUT = Object.values(ENTRY_POINTS)
  .map((name) => (name === 'tramitaService' ? 'object\n' : 'function\n'))
  .join('');

let consumer: Consumer;
beforeAll(() => {
  consumer = packPackage();
});
afterAll(() => consumer.remove());

function write(name: string, text: string): string {
  writeFileSync(join(consumer.folder, name), text);
  return name;
}

describe('the tarball', () => {
  it('contains no tests, no state of a local stack, no build state, no keys', () => {
    const wrong =
      /(^|\/)(test|bench|coverage|node_modules|scripts)\/|\.tramita|\.tsbuildinfo$|\.test\.|\.(env|pem|key|log|tgz)$/;
    expect(consumer.files.filter((file) => wrong.test(file))).toEqual([]);
    const secret = /-----BEGIN [A-Z ]*PRIVATE KEY-----\s*\w/;
    const text = (file: string): string => readFileSync(join(consumer.packageFolder, file), 'utf8');
    expect(consumer.files.filter((file) => secret.test(text(file)))).toEqual([]);
  });

  it('contains the documents', () => {
    expect(consumer.files).toEqual(
      expect.arrayContaining(['README.md', 'LICENSE', 'CHANGELOG.md', 'docs/operations.md', 'docs/webhooks.md']),
    );
  });

  it('contains everything compiled, and the sources that the source maps refer to', () => {
    const sources = consumer.files.filter((file) => /^(src|sandbox)\/.*\.ts$/.test(file));
    const compiled = sources.map((file) => `dist/${file.replace(/\.ts$/, '.js')}`);
    expect(sources.length).toBeGreaterThan(100);
    expect(compiled.filter((file) => !consumer.files.includes(file))).toEqual([]);
  });
});

describe('the exports of package.json', () => {
  it('are exactly these, and every file they name exists', () => {
    const { exports } = consumer.manifest;
    const paths = Object.keys(exports).map((path) => path.replace(/^\./, 'tramita'));
    expect(paths).toEqual([...Object.keys(ENTRY_POINTS), 'tramita/package.json']);
    const named = Object.values(exports).flatMap((target) =>
      typeof target === 'string'
        ? target
        : Object.values(target).flatMap((each) => (typeof each === 'string' ? each : Object.values(each))),
    );
    expect(named.filter((file) => !consumer.files.includes(file.replace(/^\.\//, '')))).toEqual([]);
  });

  it('resolve from CommonJS', () => {
    const script = Object.entries(ENTRY_POINTS)
      .map(([path, name]) => `console.log(typeof require('${path}').${name})`)
      .join('\n');
    expect(runNode(consumer, [write('cjs.cjs', script)])).toBe(TYPEOF_OUTPUT);
  });

  it('resolve from ESM by name', () => {
    const script = Object.entries(ENTRY_POINTS)
      .map(([path, name]) => `import { ${name} } from '${path}'; console.log(typeof ${name})`)
      .join('\n');
    expect(runNode(consumer, [write('esm.mjs', script)])).toBe(TYPEOF_OUTPUT);
  });

  it('have strict types with which the documented examples compile, in both module systems', () => {
    write('consumer.mts', TYPES);
    write('consumer.cts', TYPES);
    const examples = ['README.md', 'docs/workers.md'].flatMap((file) => snippetsIn(file, readText(file)));
    const files = examples
      .filter(({ language }) => language === 'ts')
      .flatMap(({ text }, place) => ['mts', 'cts'].map((form) => write(`readme-${place}.${form}`, text)));
    expect(files).toHaveLength(6);
    expect(typeErrors(consumer, { module: 'nodenext' }, ['consumer.mts', 'consumer.cts', ...files])).toEqual([]);
  });

  it.each([
    ['tramita', true],
    ['tramita/client', false],
    ['tramita/protocol', false],
    ['tramita/testing', false],
  ])('of %s load packages of worker, bridge or database: %s', (path, loads) => {
    const heavy =
      '/node_modules[/\\\\](@temporalio[/\\\\](worker|core-bridge|activity|testing)|fastify|pg|kysely|axios)[/\\\\]/';
    const script = `require('${path}'); console.log(Object.keys(require.cache).filter((file) => ${heavy}.test(file)).length > 0)`;
    expect(runNode(consumer, [write('loaded.cjs', script)])).toBe(`${loads}\n`);
  });

  it('of tramita load no S3 client before a file store needs one', () => {
    const script = `require('tramita'); console.log(Object.keys(require.cache).filter((file) => /@aws-sdk|@smithy/.test(file)).length)`;
    expect(runNode(consumer, [write('without-s3.cjs', script)])).toBe('0\n');
  });

  it('of tramita include those of tramita/client, which include those of tramita/protocol', () => {
    const script = `
      const [all, client, protocol] = ['tramita', 'tramita/client', 'tramita/protocol'].map((path) => require(path));
      const missing = (part, whole) => Object.keys(part).filter((name) => part[name] !== whole[name]);
      console.log(JSON.stringify([missing(client, all), missing(protocol, client)]));`;
    expect(runNode(consumer, [write('parts.cjs', script)])).toBe('[[],[]]\n');
  });

  it('can be bundled from a file of the user, beside a workflow that imports them', async () => {
    const entry = write(
      'workflows.js',
      `export * from 'tramita/workflow';
       export { default } from 'tramita/workflow';
       import { refreshCaseId, FAILURE_TYPES, SIGNAL_WAKE } from 'tramita/protocol';
       import { tramitaService } from 'tramita/nexus';
       export async function mine() { return [refreshCaseId('default', 'mine-alone'), FAILURE_TYPES, SIGNAL_WAKE, tramitaService.name]; }`,
    );
    const silent = { log: noop, trace: noop, debug: noop, info: noop, warn: noop, error: noop };
    const { code } = await bundleWorkflowCode({ workflowsPath: join(consumer.folder, entry), logger: silent });
    expect(code).toContain('unknown workflow type');
    expect(code).toMatch(/refreshCase/);
    expect(code).toContain('mine-alone');
    expect(code).not.toMatch(/node_modules\/zod\//);
  });
});

describe('a bundle of the flows', () => {
  it.each([{ name: 'plain' }, { name: 'esm', type: 'module' }])(
    'in the package %j refuses unknown workflow types',
    async (manifest) => {
      const { name } = manifest;
      mkdirSync(join(consumer.folder, name));
      write(`${name}/package.json`, JSON.stringify(manifest));
      const entry = write(
        `${name}/workflows.js`,
        "export * from 'tramita/workflow'; export { default } from 'tramita/workflow'; export async function mine() {}",
      );
      const silent = { log: noop, trace: noop, debug: noop, info: noop, warn: noop, error: noop };
      const { code } = await bundleWorkflowCode({ workflowsPath: join(consumer.folder, entry), logger: silent });
      const world = createContext({
        TextEncoder,
        TextDecoder,
        URL,
        AbortController,
        console,
        __webpack_module_cache__: {},
      });
      runInContext(`${code}\nglobalThis.flows = __TEMPORAL__.importWorkflows()`, world);
      const flows = world['flows'] as Readonly<Record<string, unknown>>;
      const own = ['default', 'mine', 'refreshCase', 'constructor', 'hasOwnProperty', '__defineGetter__'];
      expect(own.map((each) => [each, Object.hasOwn(flows, each), typeof flows[each]])).toEqual(
        own.map((each) => [each, true, 'function']),
      );
      expect(flows['constructor']).toBe(flows['default']);
    },
  );
});

describe('the command', () => {
  it('runs from the package', () => {
    expect(runNode(consumer, [join('node_modules', 'tramita', 'dist', 'src', 'cli', 'main.js'), '--help'])).toMatch(
      /^Usage: tramita/,
    );
    expect(runNode(consumer, [join('node_modules', 'tramita', 'dist', 'src', 'cli', 'main.js'), '--version'])).toMatch(
      /^\d+\.\d+\.\d+/,
    );
  });
});

function noop(): void {
  // Tests log nothing.
}

const TYPES = `
import { Client } from '@temporalio/client';
import {
  createTokens, createWorker, loadTemporalConnection, resolveConfig, settleCharge, startRefreshCase, FAILURE_TYPES,
  type Attention, type Config, type FailureType, type FlowHandle, type RefreshCaseInput, type RefreshCaseResult, type StarterDeps,
} from 'tramita';
import * as backend from 'tramita/client';
import { parseCnj } from 'tramita/contract';
import { SIGNAL_WAKE, refreshCaseId, type RefreshCaseInput as SameInput } from 'tramita/protocol';
import { PERSONAS, startSandbox, type Sandbox } from 'tramita/sandbox';
import { refreshCase } from 'tramita/workflow';

export async function use(client: Client): Promise<void> {
  const config: Config = resolveConfig({ env: process.env });
  const deps: StarterDeps = { client, taskQueue: config.taskQueue, token: createTokens('0'.repeat(32)).token };
  const input: RefreshCaseInput = { cnj: '1000001-51.2026.8.26.0100', documents: true, maxAge: '24h', webhook: '10m' };
  const handle: FlowHandle<RefreshCaseResult> = await startRefreshCase(deps, input);
  const result = await handle.result();
  const known: string = result.spent.known;
  const ids: readonly string[] = result.documents.map(({ id }) => id);
  const type: FailureType = FAILURE_TYPES[0];
  const attention: Attention = 'unknown-charge';
  await settleCharge(client, handle.workflowId, { step: 'requestRefresh', decision: 'abandon', by: 'me' });
  const sandbox: Sandbox = await startSandbox({ refreshMs: 10 });
  await createWorker({ config, temporal: loadTemporalConnection(process.env), log: console });
  const same: SameInput = input;
  const started: backend.FlowHandle<backend.RefreshCaseResult> = await backend.startRefreshCase(
    backend.createStarterDeps(config, client), same,
  );
  await backend.connectClient(backend.loadTemporalConnection(process.env)).close();
  console.log(known, ids, type, attention, sandbox.url, PERSONAS[0]?.cnj, parseCnj('x').ok, refreshCase);
  console.log(started.runId, SIGNAL_WAKE, refreshCaseId('default', result.cnj));

  // @ts-expect-error the case number is a string, never a number
  await startRefreshCase(deps, { cnj: 10000015120268260100 });
  // @ts-expect-error an unknown member
  await startRefreshCase(deps, { cnj: input.cnj, document: true });
  // @ts-expect-error money is a decimal string outside
  const amount: number = result.spent.known;
  // @ts-expect-error a decision that does not exist
  await settleCharge(client, handle.workflowId, { step: 'requestRefresh', decision: 'retry', by: 'me' });
  // @ts-expect-error results are read-only
  result.reused = true;
  // @ts-expect-error an attention that does not exist
  const other: Attention = 'unknown';
  console.log(amount, other);
}
`;
