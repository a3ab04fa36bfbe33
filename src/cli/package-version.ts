/**
 * The version of the package, for `tramita --version`. Node resolves a package's own name from inside of it, so this holds in
 * `src`, in `dist` and in `node_modules`, and loads nothing of the local stack, which finds its root on disk.
 */
import { createRequire } from 'node:module';

export function packageVersion(): string {
  return (createRequire(__filename)('tramita/package.json') as { readonly version: string }).version;
}
