/**
 * The workflow bundle of this build, made once: the first worker that starts bundles the compiled flows (about 1.5 s) and
 * writes the code next to them, under a hash of everything that goes into it. A changed flow or SDK has another hash, so an
 * old file is never used. A read-only installation bundles at every start; an image builds it ahead (see the Dockerfile).
 *
 * The flows' modules have no state of their own, so the runs of a worker share them (docs/decisions/0067).
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { bundleWorkflowCode, type WorkerOptions } from '@temporalio/worker';
import type { Config, TemporalConnection } from '../config/index.js';
import { present } from '../contract/values/index.js';
import type { Traces } from '../traces/index.js';
import { createLenientDataConverter } from '../temporal-client/index.js';

/** Compiled folders whose code is in the bundle, relative to `dist/src`. */
const INPUTS = ['workflows', 'protocol', 'contract'];
const FLOWS = moduleOf('index');
/** The same flows, which also declare whether they stay with their version. */
const VERSIONED_FLOWS = moduleOf('versioned');

/** Converter of a worker that runs our flows alone: what cannot be decoded is refused by the flow. It is part of the bundle. */
const payloadConverterPath = moduleOf('converter/own-worker');
/** The same for a worker of the user's own, whose other workflows it leaves alone. */
export const USERS_PAYLOAD_CONVERTER = moduleOf('converter/index');
const SHARED_STACKS = moduleOf('converter/shared-stacks');
/**
 * Modules that runs share in a worker of the user's own: not the workflow functions, because what is shared is frozen, and
 * `setWorkflowOptions` writes on those.
 */
export const USERS_SHARED_MODULES: readonly string[] = [
  moduleOf('flow/begin-flow'),
  moduleOf('step/charged-step'),
  moduleOf('parts/case-documents'),
  SHARED_STACKS,
];

export type WorkflowSource = Pick<WorkerOptions, 'dataConverter'> &
  (Pick<WorkerOptions, 'workflowsPath' | 'bundlerOptions'> | Pick<WorkerOptions, 'workflowBundle'>);

/** Settings that make another bundle. */
interface BundleSettings {
  readonly deployment?: Config['deployment'];
  readonly traces?: Pick<Traces, 'workflowModules'>;
}

/** The workflow options of a worker: the stored bundle, else a fresh one. From TypeScript sources (tests) always the path. */
export async function workflowSource(
  temporal: Pick<TemporalConnection, 'payloadKeys'>,
  { deployment, traces }: BundleSettings = {},
): Promise<WorkflowSource> {
  const workflowsPath = deployment === undefined ? FLOWS : VERSIONED_FLOWS;
  const dataConverter = createLenientDataConverter(temporal, { payloadConverterPath });
  const { failureConverterPath } = dataConverter;
  const shared = { preloadModules: [workflowsPath, SHARED_STACKS] };
  if (extname(__filename) !== '.js') return { workflowsPath, dataConverter, bundlerOptions: shared };
  const kinds = [
    failureConverterPath === undefined ? '' : 'encrypted-',
    deployment === undefined ? '' : 'versioned-',
    traces === undefined ? '' : 'traced-',
  ];
  const name = `workflow-bundle-${kinds.join('')}${hashOfInputs(join(__dirname, '..'), traces)}.js`;
  const codePath = join(__dirname, '..', '..', name);
  if (existsSync(codePath)) return { workflowBundle: { codePath }, dataConverter };
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    payloadConverterPath,
    ...shared,
    ...present({ failureConverterPath }),
    workflowInterceptorModules: [...(traces?.workflowModules ?? [])],
  });
  return { workflowBundle: storeIfWritable(codePath, code) ? { codePath } : { code }, dataConverter };
}

function moduleOf(name: string): string {
  return join(__dirname, '..', 'workflows', `${name}${extname(__filename)}`);
}

/** False where the installation is read-only. */
function storeIfWritable(codePath: string, code: string): boolean {
  try {
    const partial = `${codePath}.${process.pid}.partial`;
    writeFileSync(partial, code);
    renameSync(partial, codePath);
    return true;
  } catch {
    return false;
  }
}

function hashOfInputs(root: string, traces: object | undefined): string {
  const hash = createHash('sha256').update(sdkVersion()).update(readFileSync(__filename));
  for (const folder of traces === undefined ? INPUTS : [...INPUTS, 'traces']) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort()) {
      if (name.endsWith('.js')) hash.update(name).update(readFileSync(join(root, folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** The bundle must be of the same SDK version as the worker. */
function sdkVersion(): string {
  const manifest = JSON.parse(readFileSync(require.resolve('@temporalio/worker/package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
