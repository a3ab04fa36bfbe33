/**
 * `kustomize` and `kubeconform`, pinned in `tools/kubernetes/go.mod`, built with Go into the cache under the home directory. They are
 * built once (half a minute); where that cannot be, because there is no Go or no module proxy, the reason is told.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const MODULE = join(__dirname, '..', '..', 'tools', 'kubernetes');
const PACKAGES = ['github.com/yannh/kubeconform/cmd/kubeconform', 'sigs.k8s.io/kustomize/kustomize/v5'];
/** Where Go's own installer puts it, often missing from the PATH of non-login shells. */
const GO_INSTALLER_FOLDER = '/usr/local/go/bin';

export interface KubernetesTools {
  /** The objects that `kubectl apply -k` would send, as YAML. */
  build(folder: string): string;
  /** What is wrong with the objects by the schema; empty when nothing is. */
  problemsOf(objects: string, schema: string): string;
}

export function kubernetesTools(): KubernetesTools | { readonly problem: string } {
  const folder = cacheFolder();
  const problem = existsSync(folder) ? undefined : buildInto(folder);
  if (problem !== undefined) return { problem };
  return {
    build: (target) => run(join(folder, 'kustomize'), ['build', target]).stdout,
    problemsOf: (objects, schema) => {
      const { ok, stdout, stderr } = run(
        join(folder, 'kubeconform'),
        ['-strict', '-schema-location', schema, '-'],
        objects,
      );
      return ok ? '' : `${stdout}${stderr}`;
    },
  };
}

function cacheFolder(): string {
  const wanted = createHash('sha256')
    .update(readFileSync(join(MODULE, 'go.sum')))
    .digest('hex')
    .slice(0, 12);
  const named = process.env['XDG_CACHE_HOME'] ?? '';
  return join(isAbsolute(named) ? named : join(homedir(), '.cache'), 'tramita', `kubernetes-tools-${wanted}`);
}

/** Two runs that build at once both succeed: the slower one's is thrown away. */
function buildInto(folder: string): string | undefined {
  mkdirSync(join(folder, '..'), { recursive: true });
  const making = mkdtempSync(`${folder}-making-`);
  try {
    const { status } = spawnSync('go', ['build', '-mod=readonly', '-trimpath', '-o', `${making}/`, ...PACKAGES], {
      cwd: MODULE,
      env: {
        ...process.env,
        PATH: `${process.env['PATH'] ?? ''}:${GO_INSTALLER_FOLDER}`,
        CGO_ENABLED: '0',
        GOWORK: 'off',
      },
      stdio: 'ignore',
      timeout: 300_000,
    });
    if (status !== 0) return 'kustomize and kubeconform could not be built with Go';
    if (!existsSync(folder)) renameSync(making, folder);
    return undefined;
  } catch {
    return existsSync(folder) ? undefined : 'kustomize and kubeconform could not be put into the cache';
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

function run(
  command: string,
  args: readonly string[],
  input?: string,
): { readonly ok: boolean; readonly stdout: string; readonly stderr: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { input, encoding: 'utf8', timeout: 60_000 });
  return { ok: status === 0, stdout, stderr };
}
