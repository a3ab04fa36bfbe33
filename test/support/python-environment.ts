/** Python environments for tests, each made once, in the cache under the home directory. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cachedTools } from './cached-tools.js';

/** `problem`: why there is none, such as no Python or no package registry. */
export type PythonEnvironment = { readonly python: string } | { readonly problem: string };

/** `requirements` is a file of pinned packages. */
export function pythonEnvironment(name: string, requirements: string): PythonEnvironment {
  const tools = cachedTools(name, requirements, (folder) => {
    const steps: readonly (readonly [string, readonly string[], string])[] = [
      ['python3', ['-m', 'venv', folder], 'there is no python3 with venv'],
      [
        join(folder, 'bin', 'python'),
        ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements],
        `${name} could not be installed with pip`,
      ],
    ];
    return steps.find(
      ([command, args]) => spawnSync(command, args, { stdio: 'ignore', timeout: 300_000 }).status !== 0,
    )?.[2];
  });
  return 'problem' in tools ? tools : { python: join(tools.folder, 'bin', 'python') };
}
