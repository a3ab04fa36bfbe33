/**
 * The runs of a worker share the modules of the flows: a run evaluates few modules itself, and shared modules have no state. The
 * bundle is loaded as the SDK loads it: shared modules before any run, by name in one cache.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createContext, runInContext } from 'node:vm';
import { bundleWorkflowCode, type BundleOptions } from '@temporalio/worker';
import { USERS_SHARED_MODULES, workflowSource } from '../../src/workers/workflow-bundle.js';

/** Modules that act on the run itself when they are loaded. */
const OF_EACH_RUN = ['own-worker', 'tolerant', 'unset-attributes'].map(
  (name) => `./src/workflows/converter/${name}.ts`,
);
const PACKAGES = /node_modules\/(@temporalio|@brazilian-utils|long|ms|nexus-rpc)\//;

interface Loaded {
  readonly shared: ReadonlyMap<string, { readonly exports: unknown }>;
  /** Names of our modules that a run evaluates for itself. */
  readonly ofEachRun: readonly string[];
}

describe('modules of the workflow bundle', () => {
  let ours: Loaded;
  let users: Loaded;

  beforeAll(async () => {
    const source = await workflowSource({});
    if (!('workflowsPath' in source)) throw new Error('made from TypeScript, there is no bundle yet');
    const { bundlerOptions, workflowsPath = '', dataConverter } = source;
    const payloadConverterPath = dataConverter?.payloadConverterPath ?? '';
    // Bundled as an interceptor, the converter can be imported from outside.
    const common = { workflowsPath, workflowInterceptorModules: [payloadConverterPath], logger: silent };
    const load = async (options: Pick<BundleOptions, 'preloadModules'> = {}): Promise<Loaded> =>
      loadBundle((await bundleWorkflowCode({ ...common, ...options })).code);
    [ours, users] = await Promise.all([load(bundlerOptions), load({ preloadModules: [...USERS_SHARED_MODULES] })]);
  });

  it('are all shared in our workers, except those that act on the run', () => {
    expect(ours.ofEachRun).toEqual(OF_EACH_RUN);
  });

  it("are shared in a user's own worker, except workflow functions, which setWorkflowOptions writes to", () => {
    expect(users.ofEachRun.filter((name) => /\/(protocol|contract|step)\//.test(name))).toEqual([]);
    expect(users.ofEachRun.some((name) => name.includes('workflows/refresh-case'))).toBe(true);
    expect(users.ofEachRun.length).toBeLessThan(33);
  });

  it('come only from packages that were checked for state', () => {
    const packages = [...ours.shared.keys()].filter((name) => name.includes('node_modules'));
    expect(packages.filter((name) => !PACKAGES.test(name))).toEqual([]);
  });

  it('export no state: no map, no set, no regular expression with a lastIndex', () => {
    const found = [...ours.shared]
      .filter(([name]) => !name.includes('node_modules/@temporalio'))
      .flatMap(([name, { exports }]) => statefulMembers(exports, name));
    expect(found).toEqual([]);
    expect(statefulMembers({ inner: [/a/g] }, 'x')).toEqual(['x.inner.0']);
  });
});

function loadBundle(code: string): Loaded {
  const cache: Record<string, { readonly exports: unknown }> = {};
  const context = createContext({ AsyncLocalStorage, TextEncoder, TextDecoder, URL, __webpack_module_cache__: cache });
  runInContext(code, context);
  runInContext('__TEMPORAL__.preloadModules()', context);
  const shared = new Map(Object.entries(cache));
  runInContext('__TEMPORAL__.importWorkflows(); __TEMPORAL__.importInterceptors()', context);
  return { shared, ofEachRun: Object.keys(cache).filter((name) => !shared.has(name) && name.includes('/src/')) };
}

/** Paths of members that could carry state from one run to another. */
function statefulMembers(value: unknown, path: string, seen = new Set<unknown>()): readonly string[] {
  if (value === null || typeof value !== 'object' || seen.has(value)) return [];
  seen.add(value);
  const kind = Object.prototype.toString.call(value);
  if (/\[object (Weak)?(Map|Set)\]/.test(kind)) return [path];
  if (kind === '[object RegExp]' && /[gy]/.test((value as RegExp).flags)) return [path];
  return Object.entries(value).flatMap(([name, member]) => statefulMembers(member, `${path}.${name}`, seen));
}

function noop(): void {
  // The bundler's log says nothing about the result.
}
const silent = { log: noop, trace: noop, debug: noop, info: noop, warn: noop, error: noop };
