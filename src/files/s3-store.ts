/**
 * A file store on S3-compatible storage. Each file is one `PutObject` with its length and SHA-256, which the storage checks: the
 * object exists completely or not at all, and no parts of it are left to clean up. The content type is decided by the bytes,
 * never by a label, so that a browser opens nothing but real PDFs.
 */
import type { ListObjectVersionsCommandInput, ListObjectVersionsCommandOutput } from '@aws-sdk/client-s3';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pathOf } from './address.js';
import { isPdf } from './pdf-mark.js';
import { readWhole } from './read-whole.js';
import { storeError, systemCode, type FileStore } from './file-store.js';
import { S3_LIMITS, createLoader, type LoadedS3, type S3Limits, type S3Place } from './s3-client.js';
import { EDGE_BYTES } from './store-by-hash.js';

export function createS3Store(place: S3Place, limits: S3Limits = S3_LIMITS): FileStore {
  const { bucket, prefix } = place;
  const load = createLoader(place, limits);
  const keyOf = (sha256: string): string => (prefix === '' ? '' : `${prefix}/`) + pathOf(sha256);
  const objectOf = (sha256: string): S3Object => ({ Bucket: bucket, Key: keyOf(sha256) });

  const ask = async <T>(verb: string, send: (s3: LoadedS3) => Promise<T>): Promise<T> => {
    try {
      return await send(await load());
    } catch (error) {
      throw storeError(verb, codeOf(error));
    }
  };

  /** Undefined if the object does not exist (404); a missing bucket is an error. */
  const unlessAbsent = <T>(send: (s3: LoadedS3) => Promise<T>): Promise<T | undefined> =>
    ask('read', async (s3) => {
      try {
        return await send(s3);
      } catch (error) {
        if (statusOf(error) !== 404 || codeOf(error).startsWith('NoSuchBucket')) throw error;
        return undefined;
      }
    });

  return {
    nameOf: (sha256) => `s3://${bucket}/${keyOf(sha256)}`,
    put: ({ sha256, bytes, path }) =>
      ask('written', async ({ sdk, client }) => {
        const body = readWhole(createReadStream(path), sha256);
        // The SDK ignores errors of the body and would wait for bytes that never come.
        const stop = new AbortController();
        body.once('error', () => stop.abort());
        const command = new sdk.PutObjectCommand({
          ...objectOf(sha256),
          Body: body,
          ContentLength: bytes,
          ContentType: await typeOf(path),
          ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
        });
        try {
          await client.send(command, {
            abortSignal: AbortSignal.any([stop.signal, AbortSignal.timeout(limits.putMs)]),
          });
        } catch (error) {
          throw body.errored ?? error;
        } finally {
          body.destroy();
        }
      }),
    sizeOf: async (sha256) => {
      const head = await unlessAbsent(({ sdk, client }) =>
        client.send(new sdk.HeadObjectCommand(objectOf(sha256)), { abortSignal: AbortSignal.timeout(limits.askMs) }),
      );
      return head?.ContentLength;
    },
    open: async (sha256) => {
      const object = await unlessAbsent(({ sdk, client }) => client.send(new sdk.GetObjectCommand(objectOf(sha256))));
      return object?.Body instanceof Readable ? object.Body : undefined;
    },
    remove: (sha256) =>
      ask('written', async (s3) => {
        const command = new s3.sdk.DeleteObjectCommand(objectOf(sha256));
        const { DeleteMarker } = await s3.client.send(command, { abortSignal: AbortSignal.timeout(limits.askMs) });
        // The bucket is versioned: nothing of a removed file may remain, so its versions and the delete marker go too.
        if (DeleteMarker === true) await removeVersions(s3, objectOf(sha256), limits);
      }),
  };
}

interface S3Object {
  readonly Bucket: string;
  readonly Key: string;
}

async function removeVersions({ sdk, client }: LoadedS3, object: S3Object, { askMs }: S3Limits): Promise<void> {
  const timeout = (): { readonly abortSignal: AbortSignal } => ({ abortSignal: AbortSignal.timeout(askMs) });
  const { Bucket, Key } = object;
  for (let mark: VersionMark | undefined = {}; mark !== undefined;) {
    const page: ListObjectVersionsCommandOutput = await client.send(
      new sdk.ListObjectVersionsCommand({ Bucket, Prefix: Key, ...mark }),
      timeout(),
    );
    const { Versions = [], DeleteMarkers = [], NextKeyMarker, NextVersionIdMarker } = page;
    const versions = [...Versions, ...DeleteMarkers].filter((version) => version.Key === Key);
    for (const { VersionId } of versions)
      await client.send(new sdk.DeleteObjectCommand({ ...object, VersionId }), timeout());
    mark = page.IsTruncated === true ? { KeyMarker: NextKeyMarker, VersionIdMarker: NextVersionIdMarker } : undefined;
  }
}

type VersionMark = Pick<ListObjectVersionsCommandInput, 'KeyMarker' | 'VersionIdMarker'>;

async function typeOf(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(EDGE_BYTES), 0, EDGE_BYTES, 0);
    return isPdf(buffer.subarray(0, bytesRead)) ? 'application/pdf' : 'application/octet-stream';
  } finally {
    await file.close();
  }
}

function statusOf(error: unknown): number | undefined {
  return (error as { readonly $metadata?: { readonly httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode;
}

/** The error code of the storage or the system. The SDK's message is never passed on: it may contain object keys. */
function codeOf(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown };
  if (message === 'Region is missing') return 'RegionMissing';
  const status = statusOf(error);
  const code = systemCode(error);
  // The SDK wraps some system errors.
  const wrapped = code === 'Error' && typeof message === 'string' ? /\bE[A-Z_]{4,}\b/.exec(message)?.[0] : undefined;
  return (wrapped ?? code) + (status === undefined ? '' : ` HTTP ${status}`);
}
