/**
 * The workflow bundle of this build, made once: the first worker that starts bundles the compiled flows (about 1.5 s) and
 * keeps the code beside them, under a hash of everything that goes into it. A changed flow or SDK is another hash, so an old
 * file is never used. A read-only installation just bundles at every start; an image builds it ahead (see the Dockerfile).
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { bundleWorkflowCode, type WorkerOptions } from '@temporalio/worker';

/** Compiled folders whose code is in the bundle, relative to `dist/src`. */
const INPUTS = ['workflows', 'protocol', 'contract'];
const FLOWS = join(__dirname, '..', 'workflows', `index${extname(__filename)}`);

export type WorkflowSource = Pick<WorkerOptions, 'workflowsPath'> | Pick<WorkerOptions, 'workflowBundle'>;

/** What a worker is given: the kept bundle, else a fresh one. From TypeScript sources (tests) always the path. */
export async function workflowSource(): Promise<WorkflowSource> {
  if (extname(__filename) !== '.js') return { workflowsPath: FLOWS };
  const codePath = join(__dirname, '..', '..', `workflow-bundle-${hashOfInputs(join(__dirname, '..'))}.js`);
  if (existsSync(codePath)) return { workflowBundle: { codePath } };
  const { code } = await bundleWorkflowCode({ workflowsPath: FLOWS });
  return keep(codePath, code) ? { workflowBundle: { codePath } } : { workflowBundle: { code } };
}

function keep(codePath: string, code: string): boolean {
  try {
    const partial = `${codePath}.${process.pid}.partial`;
    writeFileSync(partial, code);
    renameSync(partial, codePath);
    return true;
  } catch {
    return false;
  }
}

function hashOfInputs(root: string): string {
  const hash = createHash('sha256').update(sdkVersion());
  for (const folder of INPUTS) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort()) {
      if (name.endsWith('.js')) hash.update(name).update(readFileSync(join(root, folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** The bundle's version must equal the worker's (temporal.md 8). */
function sdkVersion(): string {
  const manifest = JSON.parse(readFileSync(require.resolve('@temporalio/worker/package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
