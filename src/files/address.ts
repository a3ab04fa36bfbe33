/** Converts between the hash of a file and its stored name. Pure. */

const HASH = /^[0-9a-f]{64}$/;
/** A stored name is a relative path, an absolute path or an S3 URI; all of them end like this. */
const STORED = /(?:^|\/)sha256\/([0-9a-f]{2})\/([0-9a-f]{2})\/(\1\2[0-9a-f]{60})$/;

export function isHash(name: string): boolean {
  return HASH.test(name);
}

/** `sha256/ab/cd/<hash>`, with `/` on every system. */
export function pathOf(sha256: string): string {
  if (!isHash(sha256)) throw new Error(`tramita: "${sha256.slice(0, 80)}" is not a SHA-256; expected 64 hex digits`);
  return `sha256/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
}

/** The hash at the end of a stored name; undefined if it is no name of ours. */
export function shaOf(stored: string): string | undefined {
  return STORED.exec(stored)?.[3];
}
