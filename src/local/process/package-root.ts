/** Where the package is on disk. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** Node resolves a package's own name from inside it, so this works in `src`, in `dist` and in `node_modules`. */
export function packageRoot(): string {
  return dirname(createRequire(__filename).resolve('tramita/package.json'));
}
