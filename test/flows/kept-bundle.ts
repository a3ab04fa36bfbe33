/**
 * Bundles of the flows, built once per test run: otherwise every file would build the same one (2 s of processor time). They
 * are in the folder of the run's stack, so the next run builds its own.
 */
import { createHash } from 'node:crypto';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflowCode, type WorkerOptions } from '@temporalio/worker';
import type { Config, TemporalConnection } from '../../src/config/index.js';
import { present } from '../../src/contract/values/index.js';
import { workflowSource } from '../../src/workers/workflow-bundle.js';

/** Import paths of the flows, each with the file that replaces it in the bundle. */
export type Exchanged = Readonly<Record<string, string>>;

/**
 * Bundler options for a build of the flows with these files replaced. The build fails if a file replaces nothing, because the
 * flows have come to spell its import in another way: the test would run the real file, and perhaps wait for hours.
 */
export function exchanging(files: Exchanged): NonNullable<WorkerOptions['bundlerOptions']> {
  return {
    webpackConfigHook: (webpack) => {
      const alias = { ...(webpack.resolve?.alias as object), ...files };
      return {
        ...webpack,
        resolve: { ...webpack.resolve, alias },
        plugins: [
          ...(webpack.plugins ?? []),
          ({ hooks }) =>
            hooks.done.tap('exchanging', ({ compilation: { modules } }) => {
              const built = [...modules].map((module) => module.identifier());
              for (const [from, file] of Object.entries(files)) {
                if (built.some((module) => module.endsWith(file))) continue;
                throw new Error(`no import of the flows is spelled ${from}, which ${file} replaces`);
              }
            }),
        ],
      };
    },
  };
}

/** Options of a worker whose flows have these files replaced. With traces the worker builds its own bundle. */
export async function builtWith(
  exchanged: Exchanged,
  { deployment, traces }: Pick<Config, 'deployment' | 'traces'>,
  temporal: TemporalConnection,
): Promise<Pick<WorkerOptions, 'bundlerOptions' | 'workflowBundle'>> {
  const folder = process.env['TRAMITA_TEST_BUNDLES'];
  const source = await workflowSource(temporal, present({ deployment }));
  if (!('workflowsPath' in source)) throw new Error('the tests run from TypeScript, and have no bundle of their own');
  const bundlerOptions = { ...source.bundlerOptions, ...exchanging(exchanged) };
  if (folder === undefined || traces !== undefined) return { bundlerOptions };
  const { workflowsPath = '', dataConverter: { payloadConverterPath, failureConverterPath } = {} } = source;
  const paths = present({ workflowsPath, payloadConverterPath, failureConverterPath });
  const name = createHash('sha256')
    .update(JSON.stringify([paths, exchanged]))
    .digest('hex')
    .slice(0, 16);
  const codePath = join(folder, `${name}.js`);
  if (!existsSync(codePath)) {
    const { code } = await bundleWorkflowCode({ ...paths, workflowsPath, ...bundlerOptions });
    writeFileSync(`${codePath}.${process.pid}`, code);
    renameSync(`${codePath}.${process.pid}`, codePath);
  }
  return { workflowBundle: { codePath } };
}
