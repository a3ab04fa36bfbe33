/** Documents whose store is another place: what an attempt does that finds the work of one before, on this machine or not. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { downloadDocuments } from '../../src/activities/download-documents.js';
import { createFiles, type Files } from '../../src/files/index.js';
import type { Download } from '../../src/records/types.js';
import { NOTHING_LISTED, withFiles } from '../../src/workflows/parts/documents-place.js';
import { newDirectory, PDF, shaOfBytes } from './support.js';

const SHA = shaOfBytes(PDF);
const HOUR_MS = 3_600_000;

let server: Server;
let asked = 0;
let status = 200;
/** Answered first, one after the other. */
let firstly: number[] = [];
/** A world of one list with one document, its records, and workers on folders of their own. */
function world({ withoutLink = 0 } = {}) {
  asked = 0;
  status = 200;
  firstly = [];
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const more = Array.from({ length: withoutLink }, (_none, place) => ({ id: `e${place}`, titulo: 'x'.repeat(200) }));
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
    away: () => renameSync(store, `${store}.away`),
    back: () => renameSync(`${store}.away`, store),
  };
}

const notYet = (message: RegExp) => ({ type: 'NotYet', message: expect.stringMatching(message) as string });
const DONE = { documents: [{ id: 'd1', title: 'Ata', sha256: SHA, bytes: PDF.length }], expired: [] };

describe('documents whose store is another place', () => {
  beforeAll(async () => {
    server = createServer((_request, response) => {
      asked += 1;
      const now = firstly.shift() ?? status;
      response.writeHead(now, { 'content-type': 'application/pdf', 'content-length': PDF.length });
      response.end(now === 200 ? PDF : undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test('of a page of very many: the result is cut, stays below 2 MB and counts them all', async () => {
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

  test('a store that is away is waited for, by the file that has come: its link is not followed again', async () => {
    const { run, worker, away, back } = world();
    const mine = worker();
    away();
    await expect(run(mine)).rejects.toMatchObject(notYet(/ENOENT/));
    status = 403;
    await expect(run(mine, 2)).rejects.toMatchObject(notYet(/./));
    back();
    expect(await run(mine, 3)).toMatchObject(DONE);
    expect(asked).toBe(1);
    expect(readdirSync(join(mine.landing.directory, 'sha256', SHA.slice(0, 2), SHA.slice(2, 4)))).toEqual([]);
  });

  test.each([503, 429, 202])('what is answered %i for a moment is asked for again', async (passing) => {
    const { run, worker } = world();
    firstly = [passing];
    expect(await run(worker())).toMatchObject(DONE);
    expect(asked).toBe(2);
  });

  test('what is refused is asked for once', async () => {
    const { run, worker } = world();
    firstly = [400];
    expect(await run(worker())).toMatchObject({ documents: [{ id: 'd1', error: 'HTTP 400' }], expired: [] });
    expect(asked).toBe(1);
  });

  test('another worker follows the link again, and where that has expired waits for the one that has the file', async () => {
    const { run, worker, away, back, store } = world();
    const [mine, theirs] = [worker(), worker()];
    away();
    await expect(run(mine)).rejects.toMatchObject(notYet(/./));
    back();
    expect(await run(theirs)).toMatchObject(DONE);
    expect(asked).toBe(2);

    renameSync(join(store, 'sha256'), join(store, 'lost'));
    status = 403;
    await expect(run(theirs)).rejects.toMatchObject(notYet(/disk of another worker/));
    expect(await mine.bringOwed()).toBe(1);
    expect(await run(theirs, 2)).toMatchObject(DONE);
  });

  test('a file that nobody brings within a day has expired: then only a paid new listing brings it', async () => {
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
