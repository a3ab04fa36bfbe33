/**
 * The S3 client of AWS, loaded when a store is first used; an installation with a directory never loads it. Credentials come
 * from the provider chain of the SDK (environment, shared files, container, instance), and so does the region if none is set.
 * The SDK tries a request up to three times, but sends the bytes of a file only once.
 */
import type * as Sdk from '@aws-sdk/client-s3';
import type { StorePlace } from './file-store.js';

export type S3Place = Extract<StorePlace, { readonly kind: 's3' }>;

export interface S3Limits {
  readonly connectMs: number;
  /** Idle time of a socket after which the store counts as unreachable. */
  readonly idleMs: number;
  /** Timeouts of one request: of an upload, and of any other. */
  readonly putMs: number;
  readonly askMs: number;
}

export const S3_LIMITS: S3Limits = { connectMs: 5_000, idleMs: 20_000, putMs: 15 * 60_000, askMs: 30_000 };

export interface LoadedS3 {
  readonly sdk: typeof Sdk;
  readonly client: Sdk.S3Client;
}

function quiet(): void {
  // Logs nothing.
}

/** Loads once per store; a failed load is tried again. */
export function createLoader(
  { endpoint, region, pathStyle }: S3Place,
  { connectMs, idleMs }: S3Limits,
): () => Promise<LoadedS3> {
  let loaded: Promise<LoadedS3> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };

  async function load(): Promise<LoadedS3> {
    const sdk = await import('@aws-sdk/client-s3');
    const client = new sdk.S3Client({
      forcePathStyle: pathStyle,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(region === undefined ? {} : { region }),
      // The caller reports errors; the SDK would write to the console.
      logger: { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet },
      requestHandler: { connectionTimeout: connectMs, socketTimeout: idleMs },
    });
    return { sdk, client };
  }
}
