/** What the starters of a stack's parts share: whose stack it is, who is told, and when to give up. */
import { join } from 'node:path';
import type { OnProgress } from '../process/progress.js';
import type { Stack } from './stack.js';
import type { Shutdown } from './with-shutdown.js';

export interface StackContext {
  readonly stack: Stack;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: OnProgress;
  readonly shutdown: Shutdown;
  readonly programs: { readonly cli: string; readonly sandbox: string };
  /** Aborted when the caller ends, and when one of the parts fails. */
  readonly signal: AbortSignal;
}

export function secretFile(stack: Stack, name: string): string {
  return join(stack.folder, 'secrets', name);
}
