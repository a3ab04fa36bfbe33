/** What the functions that start a stack's parts share: the stack, who gets progress, and when to give up. */
import { dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { codeOfError } from '../../contract/values/index.js';
import type { OnProgress } from '../process/progress.js';
import type { Stack } from './stack.js';
import type { Shutdown } from './with-shutdown.js';

export interface ServerContext {
  readonly stack: Stack;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: OnProgress;
  readonly shutdown: Shutdown;
  /** Aborted when the caller ends, and when one of the parts fails. */
  readonly signal: AbortSignal;
}

export interface StackContext extends ServerContext {
  readonly programs: { readonly cli: string; readonly sandbox: string };
}

/** The value of a variable; the empty string counts as unset. */
export function variableIn(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}

export function secretFile(stack: Stack, name: string): string {
  return join(stack.folder, 'secrets', name);
}

/** 64 hex characters; twice what the id key asks for. */
const SECRET_BYTES = 32;

/**
 * The secret in `file`, made once and kept for the next start: another id key, for example, would not find earlier work.
 * Readable only by us, and never used outside the local stack.
 */
export function keepSecret(file: string): string {
  mkdirSync(dirname(file), { recursive: true });
  try {
    writeFileSync(file, `${randomBytes(SECRET_BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (codeOfError(error) !== 'EEXIST') throw error;
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/.test(secret)) {
    throw new Error(`tramita: ${file} does not hold the secret that the local stack wrote there; remove the file`);
  }
  return secret;
}

/** Replaces a profile of the user's own (a cloud namespace, its key), which must not apply to a server of a stack. */
export function writeProfile(
  folder: string,
  { address, namespace }: { readonly address: string; readonly namespace: string },
): string {
  const file = join(folder, 'temporal.toml');
  // It holds no secret, but `doctor` warns about a profile that others may read, because a profile may hold one.
  writeFileSync(file, `[profile.default]\naddress = "${address}"\nnamespace = "${namespace}"\n`, { mode: 0o600 });
  return file;
}
