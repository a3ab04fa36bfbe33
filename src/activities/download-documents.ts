/**
 * Downloads the documents of one list page. Their links come from the stored answer of the list and never leave this activity.
 * A repetition downloads nothing twice: files stored for the same listing are taken from the records. Transient failures are
 * retried while the links are valid. No room on the disk of this worker is no failure of a file: the other files come first,
 * and the next attempt, perhaps on another worker, goes on.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '../contract/values/index.js';
import { present, readPublicDocuments, type PublicDocument } from '../contract/index.js';
import { downloadFile, type DownloadRequest } from '../http/index.js';
import type { DocumentResult, DownloadInput, DownloadResult } from '../protocol/index.js';
import type { ActivityDeps } from './deps.js';
import { fitList } from './fit-list.js';
import { keepFile } from './free/keep-file.js';
import { readStoredAnswer } from './stored-answer.js';
import { impossible, notYet } from './to-failure.js';

type Deps = Pick<ActivityDeps, 'ledger' | 'records' | 'files' | 'downloadOrigins' | 'download' | 'clock'>;

interface DownloadContext {
  readonly heartbeat: (done: number) => void;
  readonly signal: AbortSignal;
  /** From 1. */
  readonly attempt: number;
}

/** Whether this attempt found the file store unavailable: it then asks no more, and waits for the store at the end. */
interface StoreSeen {
  away: boolean;
}

/** How long a worker that is down may take to upload a file that it downloaded; after that the file counts as lost. */
const BROUGHT_WITHIN_MS = DAY_MS;

/** Pauses before the tries of the files that are still missing; links are valid for minutes. */
const TRIES_AFTER_MS = [0, 2_000, 10_000];
/** No further try after this: each file of a storage that does not answer may take half a minute. */
const TRIES_WITHIN_MS = 5 * 60_000;
/** Limits of the result, as JSON; results of flows keep less than this. */
const MAX_DOCUMENTS_BYTES = 1_000_000;
const MAX_IDS_BYTES = 300_000;

/** A worker without room on its disk gives the download back after this time; another worker may take it. */
const DISK_AGAIN_MS = 20_000;

const EXPIRED_TEXT = 'the signed link has expired; listing again costs money, so it needs "relist": true';

export async function downloadDocuments(
  deps: Deps,
  input: DownloadInput,
  context: DownloadContext,
): Promise<DownloadResult> {
  const row = await deps.ledger.find(input.intentId);
  // Files belong to the listing that was paid for, even if this run only reused its answer.
  const listing = row?.joined ?? input.intentId;
  const list = readPublicDocuments(await readStoredAnswer(deps, input.account, input.intentId), input.page);
  if (list === undefined) throw impossible(`ledger row ${input.intentId} has no list of documents`);
  const wanted = list.documents.filter(({ id }) => input.only === undefined || input.only.includes(id));
  const results = new Map<PublicDocument, Tried>();
  const seen: StoreSeen = { away: false };
  const startedMs = deps.clock.monotonicMs();
  for (const pauseMs of TRIES_AFTER_MS) {
    const left = wanted.filter((document) => !results.has(document) || results.get(document)?.passing === true);
    if (left.length === 0 || deps.clock.monotonicMs() - startedMs > TRIES_WITHIN_MS) break;
    await sleep(pauseMs, undefined, { signal: context.signal }).catch(() => undefined);
    for (const document of left) {
      context.signal.throwIfAborted();
      context.heartbeat(results.size);
      results.set(document, await fetchDocument(deps, { ...input, intentId: listing, seen }, document, context.signal));
    }
  }
  const documents = [...results.values()].map(({ result }) => result);
  const expired = documents.flatMap(({ id, error }) => (error === EXPIRED_TEXT ? [id] : []));
  // After all downloads: links expire soon, files on disk do not.
  for (const { sha256 } of documents) if (sha256 !== undefined) await keepFile(deps, sha256, context);
  const noRoom = [...results.values()].find((tried) => tried.noRoom === true)?.result.error;
  if (noRoom !== undefined) throw notYet(noRoom, DISK_AGAIN_MS);
  return fitDownloads(documents, expired);
}

/** Pure. */
function fitDownloads(documents: readonly DocumentResult[], expired: readonly string[]): DownloadResult {
  const fitted = {
    documents: fitList(documents, MAX_DOCUMENTS_BYTES).items,
    expired: fitList(expired, MAX_IDS_BYTES).items,
  };
  if (fitted.documents.length === documents.length && fitted.expired.length === expired.length) return fitted;
  return { ...fitted, cut: { tried: documents.length, came: documents.some(({ error }) => error === undefined) } };
}

interface Tried extends Pick<Failed, 'passing' | 'noRoom'> {
  readonly result: DocumentResult;
}

interface Failed {
  readonly error: string;
  /** Another try may succeed. */
  readonly passing?: true;
  /** The disk of this worker did not take the file; says nothing about the file. */
  readonly noRoom?: true;
}

async function fetchDocument(
  deps: Deps,
  input: DownloadInput & { readonly seen: StoreSeen },
  { downloadUrl, extension, ...about }: PublicDocument,
  signal: AbortSignal,
): Promise<Tried> {
  const known = await fetchedBefore(deps, input, about.id);
  if (known?.where === 'kept') return { result: { ...about, ...known.file } };
  if (downloadUrl === undefined) return { result: { ...about, error: 'the list gives no link for this document' } };
  const fetched = await fetchFile(
    deps,
    { ...input, documentId: about.id, link: { url: downloadUrl, ...present({ extension }) } },
    signal,
  );
  if (!('error' in fetched)) return { result: { ...about, ...fetched } };
  // Another worker has the file and uploads it.
  if (known?.where === 'on its way') return { result: { ...about, ...known.file } };
  const { error, ...then } = fetched;
  return { result: { ...about, error }, ...then };
}

type Link = Pick<DownloadRequest, 'url' | 'extension'>;
type FetchedFile = Required<Pick<DocumentResult, 'stored' | 'sha256' | 'bytes'>>;

/** `on its way`: only the worker that downloaded the file has it, and that worker may be down. */
async function fetchedBefore(
  { records, files, clock }: Deps,
  { account, cnj, intentId, seen }: DownloadInput & { readonly seen: StoreSeen },
  documentId: string,
): Promise<{ readonly file: FetchedFile; readonly where: 'kept' | 'on its way' | 'gone' } | undefined> {
  const known = await records.findDownload(account, cnj, documentId, intentId);
  if (known === undefined) return undefined;
  const { sha256, bytes, downloadedAtMs } = known;
  const file = { stored: files.nameOf(sha256), sha256, bytes };
  if (seen.away) return { file, where: 'kept' };
  const kept = await files.keep(sha256).catch(() => {
    seen.away = true;
    return 'store away';
  });
  if (kept !== 'not here') return { file, where: 'kept' };
  return { file, where: clock.nowMs() - downloadedAtMs < BROUGHT_WITHIN_MS ? 'on its way' : 'gone' };
}

async function fetchFile(
  deps: Deps,
  { account, cnj, intentId, documentId, link }: DownloadInput & { readonly documentId: string; readonly link: Link },
  signal: AbortSignal,
): Promise<FetchedFile | Failed> {
  const { download = downloadFile } = deps;
  const file = await download({ ...link, ...deps.files.landing, allowedOrigins: deps.downloadOrigins, signal });
  // A shutdown or a cancellation says nothing about the file: the next attempt downloads it.
  signal.throwIfAborted();
  switch (file.kind) {
    case 'stored': {
      const { stored, sha256, bytes } = file;
      const place = { account, cnj, documentId, intentId };
      await deps.records.saveDownload({ ...place, stored, sha256, bytes, downloadedAtMs: deps.clock.nowMs() });
      return { stored, sha256, bytes };
    }
    case 'expired':
      return { error: EXPIRED_TEXT };
    case 'no_room':
      return { error: file.reason, noRoom: true };
    case 'failed':
      return { error: file.reason, ...present({ passing: file.passing }) };
  }
}
