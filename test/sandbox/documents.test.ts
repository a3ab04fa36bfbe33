/** Public documents through real HTTP: when they may be listed, paging, price, signed links, the PDFs behind them. */
import { readPublicDocuments } from '../../src/contract/index.js';
import { PERSONAS } from '../../sandbox/index.js';
import { closeSandboxes, HAPPY, paths, refreshed, send, start } from './support/client.js';

afterEach(closeSandboxes);

const MANY = PERSONAS.find((persona) => persona.name === 'many-documents')!.cnj;

test('documents are listed only after a finished refresh with the documents flag, and a refusal is free', async () => {
  const sandbox = await start({ refreshMs: 60_000 });
  const list = () => sandbox.get(paths.documents(HAPPY));
  const refused = await list();
  expect([refused.status, refused.json.error.code]).toEqual([422, 'DOCUMENTS_NOT_REFRESHED']);
  await sandbox.post(paths.refresh(HAPPY));
  await sandbox.control('/clock', { advanceMs: 60_000 });
  expect((await list()).status).toBe(422);
  await sandbox.post(`${paths.refresh(HAPPY)}?documentos_publicos=true`);
  expect((await list()).status).toBe(422);
  await sandbox.control('/clock', { advanceMs: 60_000 });
  expect((await list()).status).toBe(200);
  const charged = (await sandbox.charges()).map(({ operation }) => operation);
  expect(charged).toEqual(['requestRefresh', 'requestRefresh', 'listPublicDocuments']);
});

test('the happy case has three documents, each a valid PDF behind a link that needs no key', async () => {
  const sandbox = await start({ refreshMs: 0 });
  await refreshed(sandbox, HAPPY);
  const list = await sandbox.get(paths.documents(HAPPY));
  expect(list.json.meta).toMatchObject({ creditsCharged: 0.2 });
  expect(readPublicDocuments(list.json, 1)).toMatchObject({ total: 3, hasMore: false });
  const items = list.json.data.documentos;
  expect(items).toHaveLength(3);
  for (const item of items) {
    expect(new URL(item.downloadUrl).origin).toBe(sandbox.documentsUrl);
    const pdf = await send(item.downloadUrl);
    expect(pdf.status).toBe(200);
    expect(pdf.headers['content-type']).toBe('application/pdf');
    expectValidPdf(pdf.bytes, item.quantidadePaginas);
  }
  const downloads = (await sandbox.requests()).filter(({ operation }) => operation === 'downloadDocument');
  expect(downloads.map(({ keyHash, charge }) => [keyHash, charge])).toEqual(items.map(() => [null, null]));
});

/** Every offset of the cross-reference table must point at its object. */
function expectValidPdf(bytes: Buffer, pages: number): void {
  const text = bytes.toString('latin1');
  expect(text.startsWith('%PDF-')).toBe(true);
  expect(text.trimEnd().endsWith('%%EOF')).toBe(true);
  const xrefAt = Number(/startxref\n(\d+)\n/.exec(text)![1]);
  expect(text.slice(xrefAt, xrefAt + 4)).toBe('xref');
  const offsets = [...text.slice(xrefAt).matchAll(/^(\d{10}) 00000 n/gm)].map((match) => Number(match[1]));
  expect(offsets).toHaveLength(3 + 2 * pages);
  offsets.forEach((offset, index) => expect(text.slice(offset)).toMatch(new RegExp(`^${index + 1} 0 obj\n`)));
  for (const [, length, stream] of text.matchAll(/\/Length (\d+) >>\nstream\n(.*)\nendstream/g)) {
    expect(stream).toHaveLength(Number(length));
  }
}

test('the same seed gives the same documents, and another seed gives others', async () => {
  const idsOf = async (seed: string): Promise<string[]> => {
    const sandbox = await start({ seed, refreshMs: 0 });
    await refreshed(sandbox, HAPPY);
    return (await sandbox.get(paths.documents(HAPPY))).json.data.documentos.map(({ id }) => id);
  };
  const [first, second, other] = [await idsOf('a'), await idsOf('a'), await idsOf('b')];
  expect(second).toEqual(first);
  expect(other).not.toEqual(first);
});

test('documents are listed in pages, each page is charged, and the last page has no next link', async () => {
  const sandbox = await start({ refreshMs: 0 });
  await refreshed(sandbox, MANY);
  const ids = new Set<string>();
  let next: string | undefined = `${paths.documents(MANY)}?limit=20`;
  let pages = 0;
  while (next !== undefined) {
    const page = await sandbox.get(next);
    pages += 1;
    expect(readPublicDocuments(page.json, pages)).toMatchObject({ total: 45, hasMore: pages < 3 });
    for (const { id } of page.json.data.documentos) ids.add(id);
    const href = page.json.data.links.next?.href;
    next = href?.slice(sandbox.url.length);
  }
  expect([pages, ids.size]).toEqual([3, 45]);
  expect((await sandbox.charges()).filter(({ operation }) => operation === 'listPublicDocuments')).toHaveLength(3);
  const beyond = await sandbox.get(`${paths.documents(MANY)}?page=9`);
  expect([beyond.status, beyond.json.data.documentos]).toEqual([200, []]);
  for (const query of ['page=0', 'page=x', 'limit=-1', 'page=1.5']) {
    expect((await sandbox.get(`${paths.documents(MANY)}?${query}`)).status).toBe(422);
  }
});

test('a document link that is tampered with, re-encoded or cut is refused', async () => {
  const sandbox = await start({ refreshMs: 0 });
  await refreshed(sandbox, HAPPY);
  const [item] = (await sandbox.get(paths.documents(HAPPY))).json.data.documentos;
  const link = item!.downloadUrl;
  const forgeries = [
    link.replace('/1?', '/2?'),
    link.replace(/expires=(\d+)/, (_all, seconds) => `expires=${Number(seconds) + 1}`),
    link.replace('%20', '+'),
    link.replace(/&signature=.*$/, ''),
    link.replace(/signature=(.)/, (_all, digit) => `signature=${digit === '0' ? '1' : '0'}`),
    `${link}&more=1`,
    link.replace(/\?.*$/, ''),
  ];
  for (const forged of forgeries) {
    expect(forged).not.toBe(link);
    const reply = await send(forged);
    expect([reply.status, reply.json.error.code]).toEqual([403, 'LINK_INVALID']);
  }
  expect((await send(link)).status).toBe(200);
});

test('a document link expires by the sandbox’s clock', async () => {
  const sandbox = await start({ refreshMs: 0, linkTtlMs: 60_000 });
  await refreshed(sandbox, HAPPY);
  const [item] = (await sandbox.get(paths.documents(HAPPY))).json.data.documentos;
  await sandbox.control('/clock', { advanceMs: 61_000 });
  const expired = await send(item!.downloadUrl);
  expect([expired.status, expired.json.error.code]).toEqual([403, 'LINK_EXPIRED']);
});
