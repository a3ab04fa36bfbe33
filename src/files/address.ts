/** A file's place from its hash, and back from whatever a result or a record calls it. Pure. */

const HASH = /^[0-9a-f]{64}$/;
/** Relative to a directory, as an S3 URI, or absolute: the end is the same everywhere. */
const STORED = /(?:^|\/)sha256\/([0-9a-f]{2})\/([0-9a-f]{2})\/(\1\2[0-9a-f]{60})$/;

export function isHash(name: string): boolean {
  return HASH.test(name);
}

/** `sha256/ab/cd/<hash>`, with `/` on every system. */
export function pathOf(sha256: string): string {
  if (!isHash(sha256)) throw new Error(`tramita: "${sha256.slice(0, 80)}" is no SHA-256; expected 64 hex digits`);
  return `sha256/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
}

/** The hash that `stored` ends in; undefined where it names no file of ours. */
export function shaOf(stored: string): string | undefined {
  return STORED.exec(stored)?.[3];
}
