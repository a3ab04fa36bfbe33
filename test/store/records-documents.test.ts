/** Records of documents and refreshes: written when they change, without links, and never fetched twice. */
import { randomUUID } from 'node:crypto';
import { createRecords } from '../../src/records/index.js';
import { withDatabase } from '../support/database.js';
import { NOON_MS, countRoundTrips, documentsOf, randomCase } from './support.js';

const database = withDatabase();

function setUp() {
  const cnj = randomCase();
  const records = createRecords({ db: database.db });
  const page = (
    documents: readonly { id: string; title?: string; type?: string; data?: Record<string, unknown> }[],
    listedAtMs = NOON_MS,
  ) => records.saveDocuments({ account: 'default', cnj, listedAtMs, documents });
  return { records, cnj, page };
}

test('a page of documents is saved in one statement, and saving it again writes nothing', async () => {
  const { cnj, page } = setUp();
  const documents = Array.from({ length: 100 }, (_, index) => ({ id: `d${index}`, title: `Petição ${index}` }));
  const sent = await countRoundTrips(async () => expect(await page(documents)).toBe(100));
  expect(sent).toHaveLength(1);
  expect(await page(documents, NOON_MS + 1)).toBe(0);
  expect(await page([{ id: 'd7', title: 'Sentença' }], NOON_MS + 2)).toBe(1);
  const documentsNow = await documentsOf(database.db, cnj);
  expect(documentsNow).toHaveLength(100);
  expect(documentsNow.find(({ id }) => id === 'd7')).toMatchObject({ title: 'Sentença', listedAtMs: NOON_MS + 2 });
  expect(documentsNow.find(({ id }) => id === 'd8')).toMatchObject({ title: 'Petição 8', listedAtMs: NOON_MS });
});

test('links are removed at any depth, and all other data is stored', async () => {
  const { cnj, page } = setUp();
  const data = {
    downloadUrl: 'https://files.example/a.pdf?sig=secret',
    nested: { url: '//files.example/b', list: ['HTTP://x', 'kept'], pages: 3 },
    note: 'see https://… in the text',
    signed: 'open https://files.example/a.pdf?sig=secret now',
  };
  await page([{ id: 'd1', data }]);
  const [stored] = await documentsOf(database.db, cnj);
  expect(stored?.data).toEqual({
    nested: { list: ['kept'], pages: 3 },
    note: 'see https://… in the text',
    signed: 'open [link] now',
  });
});

test('items with a repeated id, or with characters that the database cannot store, are saved', async () => {
  const { cnj, page } = setUp();
  const odd = { id: 'd1', title: 'a\u0000b\ud800c', data: { 'te\u0000xt': 'x\u0000y' } };
  expect(await page([{ id: 'd1', title: 'first' }, odd])).toBe(1);
  const [stored] = await documentsOf(database.db, cnj);
  expect(stored).toMatchObject({ id: 'd1', title: 'ab\ufffdc' });
  expect(await page([])).toBe(0);
});

test('a downloaded file is found by its intent only, and stays when its document is listed again', async () => {
  const { records, cnj, page } = setUp();
  await page([{ id: 'd1', title: 'Sentença' }]);
  const intentId = randomUUID();
  const file = { sha256: 'a'.repeat(64), bytes: 3_000_000_000, stored: 'sha256/aa/aa/aaaa' };
  expect(await records.findDownload('default', cnj, 'd1', intentId)).toBeUndefined();
  const download = { account: 'default', cnj, documentId: 'd1', intentId, downloadedAtMs: NOON_MS, ...file };
  await records.saveDownload(download);
  await records.saveDownload(download);
  expect(await records.findDownload('default', cnj, 'd1', intentId)).toEqual({ ...file, downloadedAtMs: NOON_MS });
  expect(await records.findDownload('default', cnj, 'd1', randomUUID())).toBeUndefined();
  await page([{ id: 'd1', title: 'Sentença (nova)' }]);
  expect(await documentsOf(database.db, cnj)).toMatchObject([{ title: 'Sentença (nova)', ...file }]);
});

test('listFiles returns the documents with a file of one account page by page in one order', async () => {
  const { records, cnj, page } = setUp();
  await page([{ id: 'without a file' }]);
  const account = `files-${randomUUID()}`;
  const ids = ['d1', 'd2', 'd3'];
  for (const documentId of ids) {
    const intentId = randomUUID();
    const file = { sha256: 'b', bytes: 1, stored: `s-${documentId}`, downloadedAtMs: NOON_MS };
    await records.saveDownload({ account, cnj, documentId, intentId, ...file });
  }
  const first = await records.listFiles({ account, limit: 2 });
  const rest = await records.listFiles({ account, after: first.at(-1), limit: 2 });
  expect([...first, ...rest]).toEqual(ids.map((id) => ({ cnj, id, stored: `s-${id}` })));
});

test('a file of a document that is not listed yet is saved, and its page completes the record', async () => {
  const { records, cnj, page } = setUp();
  const download = {
    documentId: 'd1',
    intentId: randomUUID(),
    downloadedAtMs: NOON_MS,
    sha256: 'b',
    bytes: 1,
    stored: 's',
  };
  await records.saveDownload({ account: 'default', cnj, ...download });
  expect(await page([{ id: 'd1', title: 'Ata' }])).toBe(1);
  expect(await documentsOf(database.db, cnj)).toMatchObject([{ title: 'Ata', sha256: 'b' }]);
});

test('findRefresh returns the newest refresh of a case, in whatever order they were saved', async () => {
  const { records, cnj } = setUp();
  expect(await records.findRefresh('default', cnj)).toBeUndefined();
  const newest = {
    account: 'default',
    cnj,
    state: 'done',
    rawStatus: 'SUCESSO',
    withDocuments: true,
    intentId: randomUUID(),
    finishedAtMs: NOON_MS,
  } as const;
  await records.saveRefresh(newest);
  await records.saveRefresh({ ...newest, state: 'failed', finishedAtMs: NOON_MS - 1 });
  expect(await records.findRefresh('default', cnj)).toEqual(newest);
});
