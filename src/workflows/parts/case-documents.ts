/**
 * The public documents of a case after a finished refresh: list pages (each a charged call) and, only when asked, the files
 * behind their signed links. A failed file never fails the flow; only if all files fail does it end as `DownloadFailed`.
 */
import { present } from '../../contract/values/index.js';
import { ApplicationFailure, patched } from '@temporalio/workflow';
import type { DocumentsReading, DownloadResult, FlowSettings, RefreshCaseResult } from '../../protocol/index.js';
import { downloadCalls } from '../flow/calls.js';
import { keep } from '../flow/fit-result.js';
import { needsNewRun } from '../flow/next-run.js';
import { runChargedStep, type DoneCall } from '../step/charged-step.js';
import type { Flow } from '../flow/flow.js';
import { untilDone } from './until-done.js';
import {
  NOTHING_LISTED,
  countOf,
  withFiles,
  withPage,
  type DocumentsPlace,
  type ListedPage,
} from './documents-place.js';

type CaseDocuments = Pick<RefreshCaseResult, 'documents' | 'documentCount' | 'moreDocuments' | 'truncated'>;

export const NO_DOCUMENTS: CaseDocuments = { documents: [], documentCount: 0, moreDocuments: false };

/** Which list is read, and where the previous run stopped. */
interface DocumentsWalk {
  readonly settings: FlowSettings<'refreshCase'>;
  /** A list that was paid for before this instant does not show this refresh and is not reused. */
  readonly refreshedAtMs: number;
  readonly from: DocumentsPlace | undefined;
  /** Continues as new at `place`, because the history is long. */
  readonly inNewRun: (place: DocumentsPlace) => Promise<never>;
}

type DocumentsCall = DoneCall<DocumentsReading>;

interface PageToList {
  readonly page: number;
  readonly refreshedAtMs: number;
  readonly relist?: boolean;
}

export async function readCaseDocuments(flow: Flow, walk: DocumentsWalk): Promise<CaseDocuments> {
  const { settings } = walk;
  const { download } = settings;
  let place = walk.from ?? NOTHING_LISTED;
  if (place.hasMore === undefined) place = await listPages(flow, walk, place);
  while (download && place.downloaded < place.pages.length) {
    if (place.downloaded > 0 && needsNewRun()) return walk.inNewRun(place);
    place = withFiles(place, await downloadPage(flow, walk, place.pages[place.downloaded]));
  }
  const { files, documents, pages } = place;
  if (download && files.tried > 0 && !files.came) {
    throw flow.fail(
      'DownloadFailed',
      `none of ${files.tried} documents could be downloaded (first: ${files.firstError ?? 'unknown'}). The list is paid and stored: start again with "once" or "maxAge" to try its links again without paying${settings.relist ? '' : '. Links that have expired need "relist" too, which lists again (charged)'}`,
      { operation: 'listPublicDocuments' },
    );
  }
  const totals = pages.map(({ facts }) => facts.total).filter((total) => total !== null);
  return {
    documents: documents.items,
    documentCount: Math.max(countOf(place), ...totals),
    moreDocuments: place.hasMore ?? false,
    ...(documents.dropped || (pages.some(({ facts }) => facts.cut) && !download) ? { truncated: true as const } : {}),
  };
}

/**
 * Lists up to `maxPages` pages. If the service says nothing about further pages, it goes on by number until a page is empty,
 * does not exist, or brings nothing new. The last of these does not prove that the list has ended.
 */
async function listPages(flow: Flow, walk: DocumentsWalk, from: DocumentsPlace): Promise<DocumentsPlace> {
  const { settings, refreshedAtMs } = walk;
  let place = from;
  for (let page = from.pages.length + 1; page <= settings.maxPages; page += 1) {
    if (page > 1 && needsNewRun()) return walk.inNewRun(place);
    const mayBeMissing = place.pages.at(-1)?.facts.unsaid === true;
    const call = await (mayBeMissing ? listPageIfThere : listPage)(flow, settings, { page, refreshedAtMs });
    if (typeof call === 'string') return { ...place, hasMore: call === 'refused' };
    const { reading } = call;
    flow.count({ documentPages: page });
    // Runs from before this patch went on to `maxPages`.
    if (onlyRepeats(reading, place) && patched('documents-stop-at-what-is-listed')) {
      return { ...place, hasMore: reading.hasMore };
    }
    const added = unseen(reading, place);
    place = withPage(place, listedPage(page, call, reading.documents.length - added.length), added);
    if (!settings.download) place = { ...place, documents: keep(place.documents, added) };
    flow.count({ documents: countOf(place) });
    if (!reading.hasMore) return { ...place, hasMore: false };
    if (allAreListed(place) && patched('documents-stop-at-what-is-listed')) return { ...place, hasMore: false };
  }
  return { ...place, hasMore: true };
}

function listedPage(page: number, call: DocumentsCall, repeats = 0): ListedPage {
  const { count, cut, total, hasMore, unsaid } = call.reading;
  const facts = { count, cut, total, hasMore, ...present({ unsaid, repeats: repeats === 0 ? undefined : repeats }) };
  return { page, intentId: call.intentId ?? '', facts };
}

function onlyRepeats({ documents }: DocumentsReading, { ids }: DocumentsPlace): boolean {
  const seen = new Set(ids);
  return documents.length > 0 && documents.every(({ id }) => seen.has(id));
}

/** Documents that no earlier page had: a list that grows meanwhile repeats some. Runs from before this patch take all. */
function unseen({ documents }: DocumentsReading, { ids }: DocumentsPlace): DocumentsReading['documents'] {
  const seen = new Set(ids);
  const added = documents.filter(({ id }) => !seen.has(id));
  return added.length === documents.length || !patched('documents-count-once') ? documents : added;
}

/** True if the service reports only how many documents there are, and so many are listed. */
function allAreListed(place: DocumentsPlace): boolean {
  const { unsaid, total = null } = place.pages.at(-1)?.facts ?? {};
  return unsaid === true && total !== null && countOf(place) >= total;
}

/** A page that may not exist: a service that refuses it must not end a flow that has paid for the pages before. */
async function listPageIfThere(
  flow: Flow,
  settings: FlowSettings<'refreshCase'>,
  request: PageToList,
): Promise<DocumentsCall | 'not known' | 'refused'> {
  try {
    return await listPage(flow, settings, request);
  } catch (error) {
    if (error instanceof ApplicationFailure && error.type === 'NotFound') return 'not known';
    if (error instanceof ApplicationFailure && error.type === 'Rejected') return 'refused';
    throw error;
  }
}

async function listPage(
  flow: Flow,
  settings: FlowSettings<'refreshCase'>,
  { page, refreshedAtMs, relist = false }: PageToList,
): Promise<DocumentsCall> {
  return runChargedStep(flow, {
    step: relist ? `listPublicDocuments/${page}/relist` : `listPublicDocuments/${page}`,
    operation: 'listPublicDocuments',
    params: { cnj: settings.cnj, page },
    flags: [],
    title: `GET documents page ${page}`,
    // A relist buys fresh links on purpose: no earlier list may be reused.
    ...(relist
      ? { notBeforeMs: Date.now() }
      : { notBeforeMs: refreshedAtMs, sentNotBeforeMs: refreshedAtMs, ...present({ maxAgeMs: settings.maxAgeMs }) }),
  });
}

const EXPIRED_AGAIN = 'the signed link of the new list has expired too';

/** Downloads the files of one page. Expired links are listed again only with `relist`, and once, because that costs money. */
async function downloadPage(
  flow: Flow,
  { settings, refreshedAtMs }: DocumentsWalk,
  listed: ListedPage | undefined,
): Promise<Pick<DownloadResult, 'documents' | 'cut'>> {
  if (listed === undefined || listed.facts.count === 0) return { documents: [] };
  const first = await download(flow, settings, listed);
  if (first.expired.length === 0 || !settings.relist) return first;
  const again = await listPage(flow, settings, { page: listed.page, refreshedAtMs, relist: true });
  // A cut result does not name all expired links, so the whole page is fetched by its fresh links.
  const only = first.cut === undefined ? first.expired : undefined;
  const second = await download(flow, settings, listedPage(listed.page, again), only);
  const expiredAgain = new Set(second.expired);
  const fetchedAgain = new Map(
    second.documents.map((document) => [
      document.id,
      // What the download says of an expired link, "relist", has been done.
      expiredAgain.has(document.id) ? { ...document, error: EXPIRED_AGAIN } : document,
    ]),
  );
  const documents = first.documents.map((document) => fetchedAgain.get(document.id) ?? document);
  if (first.cut === undefined) return { documents };
  const came = first.cut.came || (second.cut?.came ?? second.documents.some(({ error }) => error === undefined));
  return { documents, cut: { tried: first.cut.tried, came } };
}

function download(
  flow: Flow,
  { account, cnj }: FlowSettings<'refreshCase'>,
  { page, intentId, facts }: ListedPage,
  only?: readonly string[],
): Promise<DownloadResult> {
  const asked = { account, cnj, intentId, page, ...present({ only }) };
  return untilDone(flow, {
    run: () => downloadCalls(`download documents page ${page} ${flow.label()}`).downloadDocuments(asked),
    waitingFor: `${only?.length ?? facts.count} files`,
    step: { step: `download/${page}`, title: `download of page ${page}`, operation: 'listPublicDocuments' },
    reason: 'the worker could not fetch the files',
    waitsFor: 'files that can be fetched',
  });
}
