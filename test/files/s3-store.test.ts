/** Files in S3-compatible storage, over real sockets to a server that speaks the S3 API. */
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { checkFiles } from '../../src/cli/doctor/check-files.js';
import { createFileStore, createFiles, probeStore, type StorePlace } from '../../src/files/index.js';
import { pathOf } from '../../src/files/address.js';
import type { S3Place } from '../../src/files/s3-client.js';
import { createS3Store } from '../../src/files/s3-store.js';
import { listen, serve, type Served } from '../../soak/loopback.js';
import { createProxy, type Proxy } from '../../soak/wire.js';
import { describeWithS3 } from '../support/s3-server.js';
import { until } from '../support/until.js';
import { land, newDirectory, PDF, shaOfBytes } from './support.js';

describeWithS3('the S3 store', (server) => {
  const place = (more: Partial<Extract<StorePlace, { kind: 's3' }>> = {}): StorePlace => ({
    kind: 's3',
    bucket: server.bucket,
    prefix: 'court',
    endpoint: `http://${server.address}`,
    region: 'us-east-1',
    pathStyle: true,
    ...more,
  });
  const worker = (more = {}) => {
    const filesDir = newDirectory();
    return { filesDir, files: createFiles({ filesDir, fileStore: place(more) }) };
  };

  test('a file of one worker is read by another, whole, with the content type of its bytes', async () => {
    const [mine, theirs] = [worker(), worker()];
    const { sha256, stored } = await land(mine.files, PDF);
    const key = `court/${pathOf(sha256)}`;
    expect(stored).toBe(`s3://${server.bucket}/${key}`);
    expect((await theirs.files.missing([stored])).size).toBe(1);

    expect(await mine.files.keep(sha256)).toBe('kept');
    expect(await server.head(key)).toEqual({ type: 'application/pdf', bytes: PDF.length });
    expect(existsSync(join(mine.filesDir, pathOf(sha256)))).toBe(false);
    for (const name of [stored, stored.slice(stored.indexOf('sha256/'))]) {
      const bytes = await theirs.files.open(name);
      expect(bytes && (await buffer(bytes)).equals(PDF)).toBe(true);
    }
    expect(await theirs.files.keep(sha256)).toBe('kept');
  });

  test('a file removed by one worker is gone for all, may be removed twice, and other files stay', async () => {
    const [mine, theirs] = [worker(), worker()];
    const [removed, other] = [await land(mine.files, randomBytes(1_000)), await land(mine.files, randomBytes(1_000))];
    for (const { sha256 } of [removed, other]) await mine.files.keep(sha256);
    await theirs.files.remove(removed.sha256);
    await mine.files.remove(removed.sha256);
    expect(await server.keys()).not.toContain(`court/${pathOf(removed.sha256)}`);
    expect(await mine.files.open(removed.stored)).toBeUndefined();
    expect((await mine.files.missing([removed.stored, other.stored])).size).toBe(1);
  });

  test('removal from a versioned bucket removes every version, also after an interrupted attempt', async () => {
    await server.keepVersions();
    const { files, filesDir } = worker();
    const [removed, other] = [await land(files, randomBytes(1_000)), await land(files, randomBytes(1_000))];
    const store = createS3Store(place() as S3Place);
    for (const { sha256 } of [removed, other]) {
      const whole = { sha256, bytes: 1_000, path: join(filesDir, pathOf(sha256)) };
      for (let times = 0; times < 2; times += 1) await store.put(whole);
    }
    const keysOf = async (): Promise<readonly string[]> => (await server.versions()).map(({ key }) => key);
    const [removedKey, otherKey] = [`court/${pathOf(removed.sha256)}`, `court/${pathOf(other.sha256)}`];
    // An attempt that ended after the delete marker was written.
    await server.hide(removedKey);
    expect((await keysOf()).filter((key) => key === removedKey)).toHaveLength(3);
    await files.remove(removed.sha256);
    expect((await keysOf()).filter((key) => key === removedKey)).toEqual([]);
    expect((await keysOf()).filter((key) => key === otherKey)).toHaveLength(2);
    await files.remove(removed.sha256);
    expect((await keysOf()).filter((key) => key === removedKey)).toEqual([]);
  });

  test('a file that is not a PDF gets no content type that a browser would run', async () => {
    const { files } = worker();
    const { sha256, stored } = await land(files, Buffer.from('<html><script>1</script></html>'));
    await files.keep(sha256);
    expect(await server.head(stored.slice(`s3://${server.bucket}/`.length))).toMatchObject({
      type: 'application/octet-stream',
    });
  });

  test('files that an earlier process left are stored by the next one', async () => {
    const { filesDir, files: before } = worker();
    const landed = await Promise.all([1, 2, 3].map(() => land(before, randomBytes(5_000_000))));
    const after = createFiles({ filesDir, fileStore: place() });
    expect(await after.bringOwed()).toBe(3);
    const keys = await server.keys();
    for (const { stored } of landed) expect(keys).toContain(stored.slice(`s3://${server.bucket}/`.length));
    expect(await after.bringOwed()).toBe(0);
  });

  describe('when it is unreachable', () => {
    let wire: Proxy;
    let broken: Served;
    let answered = 0;
    beforeAll(async () => {
      wire = await createProxy(server.address);
      broken = await serve((_request, response) => {
        answered += 1;
        response.writeHead(503).end();
      });
    });
    afterAll(async () => {
      await wire.close();
      await broken.close();
    });

    test('a file stays on the worker, and is read from there, until the store is back', async () => {
      const { files } = worker({ endpoint: `http://${wire.address}` });
      const { sha256, stored } = await land(files, PDF);
      wire.lead(undefined);
      await expect(files.keep(sha256)).rejects.toMatchObject({
        name: 'FileStoreError',
        code: expect.stringMatching(/^ECONN/) as string,
      });
      await expect(files.bringOwed()).rejects.toThrow(/cannot be/);
      const bytes = await files.open(stored);
      expect(bytes && (await buffer(bytes)).equals(PDF)).toBe(true);

      wire.lead(new URL(broken.url).host);
      await expect(files.keep(sha256)).rejects.toMatchObject({ code: expect.stringMatching(/HTTP 503/) as string });
      expect(answered).toBeGreaterThan(0);

      wire.lead(server.address);
      expect(await files.bringOwed()).toBeGreaterThan(0);
      expect((await worker().files.missing([stored])).size).toBe(0);
    });

    test('a store that never answers is given up after a time limit', async () => {
      const { filesDir, files } = worker();
      const { sha256 } = await land(files, PDF);
      const silent = createServer((socket) => socket.on('error', () => undefined).resume());
      wire.lead(await listen(silent));
      const limits = { connectMs: 500, idleMs: 300, putMs: 1_500, askMs: 1_500 };
      const store = createS3Store(place({ endpoint: `http://${wire.address}` }) as S3Place, limits);
      const path = join(filesDir, pathOf(sha256));
      await expect(store.sizeOf(sha256)).rejects.toMatchObject({ name: 'FileStoreError' });
      await expect(store.put({ sha256, bytes: PDF.length, path })).rejects.toMatchObject({ name: 'FileStoreError' });
      wire.lead(server.address);
      await new Promise((resolve) => silent.close(resolve));
    });

    test('an upload cut in the middle leaves no object and keeps the local file', async () => {
      const { files } = worker({ endpoint: `http://${wire.address}` });
      const { sha256 } = await land(files, randomBytes(60_000_000));
      const cutting = setInterval(() => wire.dropAll(), 5);
      await expect(files.keep(sha256)).rejects.toMatchObject({ name: 'FileStoreError' });
      clearInterval(cutting);
      expect((await server.keys()).some((key) => key.endsWith(sha256))).toBe(false);
      expect(await until(() => files.keep(sha256).catch(() => undefined))).toBe('kept');
      expect((await server.keys()).some((key) => key.endsWith(sha256))).toBe(true);
    });
  });

  test('bytes that do not match their hash are refused on upload and on reading', async () => {
    const { filesDir, files } = worker();
    const { sha256, stored } = await land(files, PDF.subarray(1));
    writeFileSync(join(filesDir, stored.slice(stored.indexOf('sha256/'))), Buffer.alloc(PDF.length - 1, 'y'));
    await expect(files.keep(sha256)).rejects.toMatchObject({ name: 'FileStoreError' });
    expect((await server.keys()).some((key) => key.endsWith(sha256))).toBe(false);
    const bytes = await files.open(stored);
    await expect(bytes && buffer(bytes)).rejects.toThrow(/not what the name says/);
  });

  test.each([
    ['a missing bucket', { bucket: 'no-such-bucket' }, { step: 'write', code: /^NoSuchBucket/ }],
    [
      'an endpoint that refuses connections',
      { endpoint: 'http://127.0.0.1:9' },
      { step: 'ask', code: /^ECONNREFUSED/ },
    ],
  ])('the probe reports %s', async (_name, more, { step, code }) => {
    const { problem } = await probeStore(createFileStore(place(more)));
    expect(problem).toEqual({ step, code: expect.stringMatching(code) as string });
  });

  test('the doctor checks the directory and the store, and says what to fix', async () => {
    const filesDir = newDirectory();
    expect(await checkFiles({ filesDir, fileStore: place() })).toEqual([
      { about: 'files', state: 'ok', text: `${filesDir} is writable` },
      { about: 'file store', state: 'ok', text: `s3://${server.bucket}/court can be written and read` },
    ]);
    const [, wrong] = await checkFiles({ filesDir, fileStore: place({ bucket: 'no-such-bucket', prefix: '' }) });
    expect(wrong).toMatchObject({ about: 'file store', state: 'failed' });
    expect(wrong?.text).toMatch(/^s3:\/\/no-such-bucket cannot be written \(NoSuchBucket.*create the bucket/);
  });

  test('the probe leaves no object', async () => {
    const before = await server.keys();
    expect(await probeStore(createFileStore(place()))).toEqual({ leaves: false });
    expect(await server.keys()).toEqual(before);
  });

  test('a name that is not ours has no file', async () => {
    const { files } = worker();
    expect(await files.open('https://elsewhere.example/x.pdf')).toBeUndefined();
    const wrong = `sha256/ab/cd/${shaOfBytes(PDF)}`;
    expect([...(await files.missing([wrong]))]).toEqual([wrong]);
  });
});
