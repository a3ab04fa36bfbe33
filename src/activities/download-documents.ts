/**
 * The files of one list page. Links come from the stored answer of the list and never leave this activity.
 * Repeating it fetches nothing twice: what was stored for the same listing is taken from the records.
 */
import { readPublicDocuments, type PublicDocument } from '../contract/index.js';
import { downloadFile } from '../http/index.js';
import type { DocumentResult, DownloadInput, DownloadResult } from '../protocol/index.js';
import type { ActivityDeps } from './deps.js';
import { readStoredAnswer } from './stored-answer.js';
import { impossible } from './to-failure.js';

type Deps = Pick<ActivityDeps, 'ledger' | 'records' | 'filesDir' | 'downloadOrigins' | 'clock'>;

interface DownloadContext {
  readonly heartbeat: (done: number) => void;
  readonly signal: AbortSignal;
}

const EXPIRED_TEXT = 'the signed link has expired; listing again costs money and happens only with "relist": true';

export async function downloadDocuments(
  deps: Deps,
  input: DownloadInput,
  context: DownloadContext,
): Promise<DownloadResult> {
  const row = await deps.ledger.find(input.intentId);
  // Files belong to the listing that was paid, also where this run only took its answer over.
  const listing = row?.joined ?? input.intentId;
  const list = readPublicDocuments(await readStoredAnswer(deps, input.account, input.intentId), input.page);
  if (list === undefined) throw impossible(`ledger row ${input.intentId} holds no documents list`);
  const wanted = list.documents.filter(({ id }) => input.only === undefined || input.only.includes(id));
  const documents: DocumentResult[] = [];
  const expired: string[] = [];
  for (const document of wanted) {
    context.signal.throwIfAborted();
    context.heartbeat(documents.length);
    const result = await fetchOne(deps, { ...input, intentId: listing }, document, context.signal);
    if (result.error === EXPIRED_TEXT) expired.push(document.id);
    documents.push(result);
  }
  return { documents, expired };
}

async function fetchOne(
  deps: Deps,
  input: DownloadInput,
  document: PublicDocument,
  signal: AbortSignal,
): Promise<DocumentResult> {
  const { downloadUrl, ...about } = document;
  const { account, cnj, intentId } = input;
  const known = await deps.records.findDownload(account, cnj, document.id, intentId);
  if (known !== undefined) return { ...about, ...known };
  if (downloadUrl === undefined) return { ...about, error: 'the list gives no link for this document' };
  const file = await downloadFile({
    url: downloadUrl,
    directory: deps.filesDir,
    allowedOrigins: deps.downloadOrigins,
    signal,
  });
  // A deploy or a cancel is no property of the file: the next attempt fetches it.
  signal.throwIfAborted();
  switch (file.kind) {
    case 'stored': {
      const stored = { stored: file.path, sha256: file.sha256, bytes: file.bytes };
      const place = { account, cnj, documentId: document.id, intentId };
      await deps.records.saveDownload({ ...place, ...stored, downloadedAtMs: deps.clock.nowMs() });
      return { ...about, ...stored };
    }
    case 'expired':
      return { ...about, error: EXPIRED_TEXT };
    case 'failed':
      return { ...about, error: file.reason };
  }
}
