/**
 * An S3 server for tests: `moto`, pinned in `tools/moto/requirements.txt`, in a Python environment of its own in the cache
 * under the home directory. The first test file that needs it makes it (10 seconds). When it cannot be made, because there is no
 * Python or no package registry, these tests are skipped with one line that says why.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { pythonEnvironment } from './python-environment.js';
import { until } from './until.js';

const REQUIREMENTS = join(__dirname, '..', '..', 'tools', 'moto', 'requirements.txt');
const REGION = 'us-east-1';
const KEYS = { AWS_ACCESS_KEY_ID: 'test-id', AWS_SECRET_ACCESS_KEY: 'test-secret' } as const;

export interface S3Server {
  /** `host:port`. Available inside tests and hooks. */
  readonly address: string;
  readonly bucket: string;
  /** Settings of an installation that keeps its files there. */
  env(endpoint?: string): Readonly<Record<string, string>>;
  /** Keys of all objects. */
  keys(): Promise<readonly string[]>;
  head(key: string): Promise<{ readonly type: string | undefined; readonly bytes: number | undefined }>;
  read(key: string): Promise<Buffer>;
  /** A plain delete, which only hides an object in a bucket that keeps versions. */
  hide(key: string): Promise<void>;
  /** From now on the bucket keeps what is deleted or replaced. */
  keepVersions(): Promise<void>;
  /** Everything in the bucket, including what was deleted or replaced; delete markers have no bytes. */
  versions(): Promise<readonly { readonly key: string; readonly bytes: Buffer | undefined }[]>;
}

/** A `describe` with a server and an empty bucket of its own. */
export function describeWithS3(name: string, tests: (server: S3Server) => void): void {
  const made = pythonEnvironment('moto', REQUIREMENTS);
  if ('problem' in made) {
    process.stderr.write(`skipped: ${name}: ${made.problem}\n`);
    describe.skip(name, () => tests(undefined as never));
    return;
  }
  describe(name, () => {
    const bucket = 'tramita-files';
    let address = '';
    let child: ChildProcess | undefined;
    let client: S3Client | undefined;
    const s3 = (): S3Client => {
      if (client === undefined) throw new Error('describeWithS3: use it inside tests and hooks only');
      return client;
    };
    const read = async (Key: string, VersionId?: string): Promise<Buffer> => {
      const { Body } = await s3().send(new GetObjectCommand({ Bucket: bucket, Key, VersionId }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    };
    beforeAll(async () => {
      child = spawn(made.python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', '0'], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, MOTO_PORT: undefined },
      });
      let log = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (log += text));
      address = await until(() => /Running on http:\/\/(127\.0\.0\.1:\d+)/.exec(log)?.[1], { what: 'moto to listen' });
      Object.assign(process.env, KEYS);
      client = new S3Client({ endpoint: `http://${address}`, region: REGION, forcePathStyle: true });
      const { status } = await fetch(`http://${address}/${bucket}`, { method: 'PUT' });
      if (status !== 200) throw new Error(`the bucket could not be made: HTTP ${status}`);
    });
    afterAll(async () => {
      client?.destroy();
      const ended = new Promise((resolve) => child?.once('exit', resolve));
      if (child?.kill() === true) await ended;
    });
    tests({
      bucket,
      get address() {
        return address;
      },
      env: (endpoint = address) => ({
        TRAMITA_FILES: `s3://${bucket}/court`,
        TRAMITA_FILES_ENDPOINT: `http://${endpoint}`,
        TRAMITA_FILES_REGION: REGION,
      }),
      keys: async () => {
        const { Contents = [] } = await s3().send(new ListObjectsV2Command({ Bucket: bucket }));
        return Contents.map(({ Key = '' }) => Key);
      },
      head: async (Key) => {
        const { ContentType, ContentLength } = await s3().send(new HeadObjectCommand({ Bucket: bucket, Key }));
        return { type: ContentType, bytes: ContentLength };
      },
      read: (Key) => read(Key),
      hide: async (Key) => {
        await s3().send(new DeleteObjectCommand({ Bucket: bucket, Key }));
      },
      keepVersions: async () => {
        const VersioningConfiguration = { Status: 'Enabled' } as const;
        await s3().send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }));
      },
      versions: async () => {
        const { Versions = [], DeleteMarkers = [] } = await s3().send(
          new ListObjectVersionsCommand({ Bucket: bucket }),
        );
        const whole = Versions.map(async ({ Key = '', VersionId }) => ({
          key: Key,
          bytes: await read(Key, VersionId),
        }));
        const markers = DeleteMarkers.map(({ Key = '' }) => ({ key: Key, bytes: undefined }));
        return [...(await Promise.all(whole)), ...markers];
      },
    });
  });
}
