/**
 * Prometheus and its promtool: those of the PATH, else Debian's package, unpacked into the cache under the home directory and not
 * installed. Where neither can be had, the reason is told.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cachedTools } from './cached-tools.js';

export interface PrometheusTools {
  /** Path of the server. */
  readonly prometheus: string;
  /** What `promtool` says is wrong; empty when nothing is. Paths are relative to `folder`. */
  promtool(folder: string, args: readonly string[]): string;
}

export function prometheusTools(): PrometheusTools | { readonly problem: string } {
  if (spawnSync('promtool', ['--version']).status === 0 && spawnSync('prometheus', ['--version']).status === 0) {
    return toolsIn('');
  }
  const tools = cachedTools('prometheus', __filename, unpackInto);
  return 'problem' in tools ? tools : toolsIn(join(tools.folder, 'usr', 'bin'));
}

function toolsIn(folder: string): PrometheusTools {
  return {
    prometheus: join(folder, 'prometheus'),
    promtool: (cwd, args) => {
      const { status, stdout, stderr } = spawnSync(join(folder, 'promtool'), args, {
        cwd,
        encoding: 'utf8',
        timeout: 60_000,
      });
      return status === 0 ? '' : `${stdout}${stderr}`;
    },
  };
}

function unpackInto(folder: string): string | undefined {
  const run = (command: string, args: readonly string[]): boolean =>
    spawnSync(command, args, { cwd: folder, stdio: 'ignore', timeout: 120_000 }).status === 0;
  run('apt-get', ['download', 'prometheus']);
  const file = readdirSync(folder).find((name) => name.endsWith('.deb'));
  return file !== undefined && run('dpkg-deb', ['--extract', file, folder])
    ? undefined
    : 'there is no prometheus on the PATH, and its Debian package cannot be had (apt-get download prometheus)';
}
