/**
 * Encrypted payloads in the local stack: key and token are made once and stay in `.tramita/secrets/`, readable only by us. A
 * folder that has begun to encrypt keeps its key, because its workers could not read the existing flows otherwise.
 */
import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import type { Stack } from './stack.js';
import { keepSecret, secretFile } from './stack-context.js';

/** Name of the token in the access log. */
const TOKEN_NAME = 'local';
const KEY_ID = 'local';

export interface LocalEncryption {
  /** For every program that reads or writes payloads. */
  readonly env: { readonly TRAMITA_PAYLOAD_KEYS_FILE: string };
  /** Entry for TRAMITA_CODEC_TOKENS. */
  readonly tokens: string;
  readonly tokenFile: string;
}

/** A notice that payload keys of the environment are ignored; undefined if it has none but this folder's own. Pure. */
export function ignoredKeys(
  env: NodeJS.ProcessEnv,
  encryption: Pick<LocalEncryption, 'env'> | undefined,
): string | undefined {
  const ours = encryption?.env.TRAMITA_PAYLOAD_KEYS_FILE;
  const name = ['TRAMITA_PAYLOAD_KEYS', 'TRAMITA_PAYLOAD_KEYS_FILE'].find(
    (key) => ![undefined, '', ours].includes(env[key]),
  );
  if (name === undefined) return undefined;
  const instead =
    ours === undefined
      ? 'payloads stay in clear text; --encrypted encrypts them with a key'
      : 'payloads are encrypted with a key';
  return `${name} of the environment is ignored, unset it for the commands too: ${instead} of this folder`;
}

/** Undefined: this folder's payloads stay in clear. */
export function keepEncryption(stack: Stack, wanted: boolean): LocalEncryption | undefined {
  const keysFile = secretFile(stack, 'payload-keys');
  if (!wanted && !existsSync(keysFile)) return undefined;
  const key = Buffer.from(keepSecret(secretFile(stack, 'payload-key')), 'hex').toString('base64');
  writeFileSync(keysFile, `${KEY_ID}:${key}\n`, { mode: 0o600 });
  const tokenFile = secretFile(stack, 'codec-token');
  const hash = createHash('sha256').update(keepSecret(tokenFile)).digest('hex');
  return { env: { TRAMITA_PAYLOAD_KEYS_FILE: keysFile }, tokens: `${TOKEN_NAME}:${hash}`, tokenFile };
}
