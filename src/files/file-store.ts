/** The interface of a file store, and its errors. */
import type { Readable } from 'node:stream';

/** Where the files of the configuration are kept. */
export type StorePlace =
  | { readonly kind: 'directory'; readonly path: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** No slash at either end; empty: keys begin at the top of the bucket. */
      readonly prefix: string;
      /** Of S3-compatible storage other than AWS. */
      readonly endpoint?: string;
      /** Absent: taken from the AWS environment. */
      readonly region?: string;
      /** True: the bucket name is in the URL path, not in the host name. */
      readonly pathStyle: boolean;
    };

/** A whole file on this machine's disk. */
export interface WholeFile {
  readonly sha256: string;
  readonly bytes: number;
  readonly path: string;
}

/**
 * Stores whole files under their hash. A file exists completely or not at all, even after a crash. Every method rejects with a
 * {@link storeError} if the store refuses or does not answer; an error never means that the file is absent.
 */
export interface FileStore {
  /** The name of a file in results and records. */
  nameOf(sha256: string): string;
  /** Resolves when the store has the file. Storing the same file again changes nothing. */
  put(file: WholeFile): Promise<void>;
  sizeOf(sha256: string): Promise<number | undefined>;
  open(sha256: string): Promise<Readable | undefined>;
  /** Succeeds too if there is no such file. */
  remove(sha256: string): Promise<void>;
}

/** The message is safe to show. `code` is for people and logs: `AccessDenied HTTP 403`, `ECONNREFUSED`. */
export function storeError(verb: string, code: string): Error {
  const error = new Error(`tramita: the file store cannot be ${verb} (${code})`);
  return Object.assign(error, { name: 'FileStoreError', code });
}

/** The code of a system error, or the name of any other error. */
export function systemCode(error: unknown): string {
  const { code, name } = (typeof error === 'object' && error !== null ? error : {}) as {
    readonly code?: unknown;
    readonly name?: unknown;
  };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'error';
}
