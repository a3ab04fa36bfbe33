/**
 * `kustomize` and `kubeconform`, pinned in `tools/kubernetes/go.mod`, built once with Go into the cache under the home directory
 * (half a minute). When they cannot be built, because there is no Go or no module proxy, the reason is returned.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cachedTools } from './cached-tools.js';

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
  const tools = cachedTools('kubernetes-tools', join(MODULE, 'go.sum'), buildInto);
  if ('problem' in tools) return tools;
  const { folder } = tools;
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

function buildInto(folder: string): string | undefined {
  const { status } = spawnSync('go', ['build', '-mod=readonly', '-trimpath', '-o', `${folder}/`, ...PACKAGES], {
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
  return status === 0 ? undefined : 'kustomize and kubeconform could not be built with Go';
}

function run(
  command: string,
  args: readonly string[],
  input?: string,
): { readonly ok: boolean; readonly stdout: string; readonly stderr: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { input, encoding: 'utf8', timeout: 60_000 });
  return { ok: status === 0, stdout, stderr };
}
