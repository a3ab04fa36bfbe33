/** Downloads into a shared store: what an attempt does after an earlier attempt, on this machine or another one. */
import { readdirSync, renameSync } from 'node:fs';
import files from 'node:fs/promises';
import { join } from 'node:path';
import { downloadDocuments } from '../../src/activities/download-documents.js';
import { createFiles, type Files } from '../../src/files/index.js';
import type { Download } from '../../src/records/types.js';
import { NOTHING_LISTED, withFiles } from '../../src/workflows/parts/documents-place.js';
import { serve, type Served } from '../../soak/loopback.js';
import { newDirectory, PDF, shaOfBytes } from './support.js';

const SHA = shaOfBytes(PDF);
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

let server: Served;
let requestCount = 0;
let onRequest = (): void => undefined;
let status = 200;
/** Statuses of the first answers, in order. */
let firstStatuses: number[] = [];
/** The length that a file has whose link says `large`. */
const LARGE_BYTES = 50_000_000;
/** One list with one document, its records, and workers with folders of their own. */
function world({ withoutLink = 0, large = false } = {}) {
  requestCount = 0;
  onRequest = () => undefined;
  status = 200;
  firstStatuses = [];
  const origin = server.url;
  const more: object[] = Array.from({ length: withoutLink }, (_none, place) => ({
    id: `e${place}`,
    titulo: 'x'.repeat(200),
  }));
  if (large) more.push({ id: 'd0', titulo: 'Autos', downloadUrl: `${origin}/large?sig=1` });
  const list = JSON.stringify({
    documentos: [...more, { id: 'd1', titulo: 'Ata', downloadUrl: `${origin}/f?sig=1` }],
  });
  const store = newDirectory();
  const saved = new Map<string, Download>();
  const clock = { now: Date.now() };
  const run = (files: Files, attempt = 1) =>
    downloadDocuments(
      {
        files,
        downloadOrigins: [origin],
        clock: { nowMs: () => clock.now, monotonicMs: () => clock.now },
        ledger: {
          find: () => Promise.resolve(undefined),
          answerBytes: () => Promise.resolve({ bytes: Buffer.from(list), sha256: '', contentType: null }),
        } as never,
        records: {
          saveDownload: (download: Download) => Promise.resolve(void saved.set(download.documentId, download)),
          findDownload: (_account: string, _cnj: string, id: string) => Promise.resolve(saved.get(id)),
        } as never,
      },
      { account: 'default', cnj: '0'.repeat(20) as never, intentId: 'i', page: 1 },
      { heartbeat: () => undefined, signal: new AbortController().signal, attempt },
    );
  const worker = (): Files => createFiles({ filesDir: newDirectory(), fileStore: { kind: 'directory', path: store } });
  return {
    run,
    worker,
    clock,
    store,
    saved,
    unmount: () => renameSync(store, `${store}.away`),
    remount: () => renameSync(`${store}.away`, store),
  };
}

/** What the system says of a disk with this much room. */
const withRoom = async (megabytes: number): Promise<Awaited<ReturnType<typeof files.statfs>>> =>
  Object.assign(await files.statfs('.'), { bsize: 1_000, bavail: megabytes * 1_000 });

const notYet = (message: RegExp) => ({ type: 'NotYet', message: expect.stringMatching(message) as string });
const DONE = { documents: [{ id: 'd1', title: 'Ata', sha256: SHA, bytes: PDF.length }], expired: [] };

describe('a download of documents into a shared store', () => {
  afterEach(() => jest.restoreAllMocks());
  beforeAll(async () => {
    server = await serve(({ url = '' }, response) => {
      requestCount += 1;
      onRequest();
      if (url.startsWith('/large')) {
        response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': LARGE_BYTES });
        return void response.write(PDF);
      }
      const current = firstStatuses.shift() ?? status;
      response.writeHead(current, { 'content-type': 'application/pdf', 'content-length': PDF.length });
      response.end(current === 200 ? PDF : undefined);
    });
  });
  afterAll(() => server.close());

  test('cuts the result of a page with very many documents below 2 MB, and counts them all', async () => {
    const { run, worker } = world({ withoutLink: 10_000 });
    const result = await run(worker());
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(1_500_000);
    expect(result.documents.length).toBeGreaterThan(1_000);
    expect(result.documents.length).toBeLessThan(10_001);
    expect(result).toMatchObject({ cut: { tried: 10_001, came: true } });
    expect(withFiles(NOTHING_LISTED, result)).toMatchObject({
      documents: { dropped: true },
      files: { tried: 10_001, came: true },
    });
  });

  test('waits for an unreachable store with the downloaded file, and does not follow the link again', async () => {
    const { run, worker, unmount, remount } = world();
    const mine = worker();
    unmount();
    await expect(run(mine)).rejects.toMatchObject(notYet(/ENOENT/));
    status = 403;
    await expect(run(mine, 2)).rejects.toMatchObject(notYet(/./));
    remount();
    expect(await run(mine, 3)).toMatchObject(DONE);
    expect(requestCount).toBe(1);
    expect(readdirSync(join(mine.landing.directory, 'sha256', SHA.slice(0, 2), SHA.slice(2, 4)))).toEqual([]);
  });

  test('leaves the links alone while the disk of the worker is full, and takes the files when there is room', async () => {
    const { run, worker } = world();
    const mine = worker();
    const statfs = jest.spyOn(files, 'statfs').mockResolvedValue(await withRoom(1));
    await expect(run(mine)).rejects.toMatchObject(notYet(/files directory has only 1 MB left/));
    expect(requestCount).toBe(0);
    statfs.mockRestore();
    expect(await run(mine, 2)).toMatchObject(DONE);
    expect(requestCount).toBe(1);
  });

  test('is repeated when the disk of the worker fills up meanwhile', async () => {
    const { run, worker } = world();
    const mine = worker();
    firstStatuses = [503];
    const [room, full] = [await withRoom(1_000), await withRoom(1)];
    const statfs = jest
      .spyOn(files, 'statfs')
      .mockImplementation(() => Promise.resolve(requestCount > 0 ? full : room));
    await expect(run(mine)).rejects.toMatchObject(notYet(/files directory has only 1 MB left/));
    expect(requestCount).toBe(1);
    statfs.mockRestore();
    expect(await run(mine, 2)).toMatchObject(DONE);
  });

  test('waits with a file that is larger than the room left, and takes the other files meanwhile', async () => {
    const { run, worker, saved } = world({ large: true });
    const mine = worker();
    jest.spyOn(files, 'statfs').mockResolvedValue(await withRoom(70));
    await expect(run(mine)).rejects.toMatchObject(notYet(/files directory has only 70 MB left for a file of 50 MB/));
    expect([...saved.keys()]).toEqual(['d1']);
    expect(requestCount).toBe(2);
  });

  test.each(['ENOSPC', 'EDQUOT'])('is repeated when the disk refuses the bytes of a file (%s)', async (code) => {
    const { run, worker } = world();
    const mine = worker();
    const rename = jest.spyOn(files, 'rename').mockRejectedValue(Object.assign(new Error('secret path'), { code }));
    await expect(run(mine)).rejects.toMatchObject(notYet(new RegExp(`files directory cannot be written .${code}`)));
    rename.mockRestore();
    expect(await run(mine, 2)).toMatchObject(DONE);
  });

  test.each([503, 429, 202])('is repeated after a temporary HTTP %i', async (passing) => {
    const { run, worker } = world();
    firstStatuses = [passing];
    expect(await run(worker())).toMatchObject(DONE);
    expect(requestCount).toBe(2);
  });

  test('is not repeated after a temporary failure that has taken minutes', async () => {
    const { run, worker, clock } = world();
    firstStatuses = [503];
    onRequest = () => void (clock.now += 6 * MINUTE_MS);
    expect(await run(worker())).toMatchObject({ documents: [{ id: 'd1', error: 'HTTP 503' }] });
    expect(requestCount).toBe(1);
  });

  test('is not repeated after a refusal', async () => {
    const { run, worker } = world();
    firstStatuses = [400];
    expect(await run(worker())).toMatchObject({ documents: [{ id: 'd1', error: 'HTTP 400' }], expired: [] });
    expect(requestCount).toBe(1);
  });

  test('follows the link again on another worker, and once it has expired waits for the worker with the file', async () => {
    const { run, worker, unmount, remount, store } = world();
    const [mine, theirs] = [worker(), worker()];
    unmount();
    await expect(run(mine)).rejects.toMatchObject(notYet(/./));
    remount();
    expect(await run(theirs)).toMatchObject(DONE);
    expect(requestCount).toBe(2);

    renameSync(join(store, 'sha256'), join(store, 'lost'));
    status = 403;
    await expect(run(theirs)).rejects.toMatchObject(notYet(/disk of another worker/));
    expect(await mine.bringOwed()).toBe(1);
    expect(await run(theirs, 2)).toMatchObject(DONE);
  });

  test('reports a file as expired when no worker stores it within a day', async () => {
    const { run, worker, clock, store } = world();
    const mine = worker();
    expect(await run(mine)).toMatchObject(DONE);
    renameSync(join(store, 'sha256'), join(store, 'lost'));
    status = 403;
    clock.now += 25 * HOUR_MS;
    const { documents, expired } = await run(mine);
    expect(documents[0]).toMatchObject({ id: 'd1', error: expect.stringMatching(/expired/) as string });
    expect(documents[0]).not.toHaveProperty('stored');
    expect(expired).toEqual(['d1']);
  });
});
