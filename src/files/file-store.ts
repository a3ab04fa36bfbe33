/** What a file store is, and how its errors look. Types, and one maker of errors. */
import type { Readable } from 'node:stream';

/** Where the files of the configuration are kept. */
export type StorePlace =
  | { readonly kind: 'directory'; readonly path: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** Without slashes at its ends; empty: the bucket itself. */
      readonly prefix: string;
      /** Of another service than AWS. */
      readonly endpoint?: string;
      /** Absent: what the AWS environment says. */
      readonly region?: string;
      /** The bucket is in the path and not in the host name. */
      readonly pathStyle: boolean;
    };

/** A whole file on this machine's disk. */
export interface WholeFile {
  readonly sha256: string;
  readonly bytes: number;
  readonly path: string;
}

/**
 * Whole files under their hash. A file is there complete or not at all, also after a crash at any point. Every method rejects
 * with a {@link storeError} where the store does not answer or refuses: an error never means absence.
 */
export interface FileStore {
  /** What results and records call a file. */
  nameOf(sha256: string): string;
  /** Returns when the store has taken the file; an equal one is replaced by itself. */
  put(file: WholeFile): Promise<void>;
  sizeOf(sha256: string): Promise<number | undefined>;
  open(sha256: string): Promise<Readable | undefined>;
  /** No error where there is none. */
  remove(sha256: string): Promise<void>;
}

/** Safe text; `code` is what a person or a log needs: `AccessDenied HTTP 403`, `ECONNREFUSED`. */
export function storeError(what: string, code: string): Error {
  const error = new Error(`tramita: the file store cannot be ${what} (${code})`);
  return Object.assign(error, { name: 'FileStoreError', code });
}

/** Code of a system error, else the error's name. */
export function systemCode(error: unknown): string {
  const { code, name } = (typeof error === 'object' && error !== null ? error : {}) as {
    readonly code?: unknown;
    readonly name?: unknown;
  };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'error';
}
