/**
 * The S3 client of AWS, loaded when a store is first used: an installation with a directory never loads it. Credentials come
 * from the provider chain of the SDK (environment, shared files, container, instance); so does the region where none is set.
 */
import type * as Sdk from '@aws-sdk/client-s3';
import type { StorePlace } from './file-store.js';

export type S3Place = Extract<StorePlace, { readonly kind: 's3' }>;

const CONNECT_MS = 5_000;
/** Nothing moves on the socket for so long: the store is away. */
const IDLE_MS = 20_000;

export interface LoadedS3 {
  readonly sdk: typeof Sdk;
  readonly client: Sdk.S3Client;
}

function quiet(): void {
  // Nothing is said.
}

/** Once per store; a load that failed is tried again. */
export function createLoader({ endpoint, region, pathStyle }: S3Place): () => Promise<LoadedS3> {
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
      // What went wrong is told by whoever asked; the SDK would write to the console.
      logger: { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet },
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: IDLE_MS },
    });
    return { sdk, client };
  }
}
