/** Where the parts of the bench are, and what all engines have in common. */
import { join } from 'node:path';
import type { SandboxOptions } from '../../sandbox/index.js';
import { packageRoot } from '../../src/local/index.js';

const FOLDER = join(packageRoot(), 'bench', 'engines');
/** The engines are installed here, separate from what tramita needs. */
export const MODULES = join(FOLDER, 'node_modules');
export const FLOWS = join(FOLDER, 'flows');

export interface Restate {
  readonly ingress: string;
  readonly admin: string;
}

/** The same service for every engine: a refresh takes this long, then its webhook is sent. */
export const REFRESH_MS = 200;
export const WEBHOOK_SECRET = 'secret-of-the-bench-0123456789abcdef';

export function sandboxOptions(seed: number, more: SandboxOptions = {}): SandboxOptions {
  return { seed: `bench ${seed}`, refreshMs: REFRESH_MS, pollAfterMs: REFRESH_MS, ...more };
}
