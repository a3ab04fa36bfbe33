/**
 * The public documents of a case after a finished refresh: list pages (each a charged call) and, only when asked, the files
 * behind their signed links. A failed file never fails the flow; only when all fail does it end as `DownloadFailed`.
 */
import { ApplicationFailure, isCancellation, patched } from '@temporalio/workflow';
import type { DocumentResult, DocumentsReading, DownloadResult, RefreshCaseSettings } from '../../protocol/index.js';
import { downloadCalls } from '../flow/calls.js';
import { runChargedStep, type DoneCall } from '../step/charged-step.js';
import type { Flow } from '../flow/flow.js';
import { parkUntilResumed } from '../step/parking.js';
import type { ChargedStep } from '../step/step-run.js';

export interface CaseDocuments {
  readonly documents: readonly DocumentResult[];
  readonly documentCount: number;
  /** False only where the service shows that it has no further ones. */
  readonly moreDocuments: boolean;
  /** A page was too long for a result: the rest is in the database. */
  readonly truncated?: true;
}

export const NO_DOCUMENTS: CaseDocuments = { documents: [], documentCount: 0, moreDocuments: false };

interface ListedPage {
  readonly page: number;
  readonly call: DoneCall;
  /** `unsaid` is absent where the service tells, and from answers that were read before it was looked at. */
  readonly reading: DocumentsReading;
}

interface Place {
  readonly page: number;
  readonly refreshedAtMs: number;
  readonly again?: boolean;
}

/** `refreshedAtMs`: a list that was paid for before this instant does not show this refresh and is not reused. */
export async function readCaseDocuments(
  flow: Flow,
  settings: RefreshCaseSettings,
  refreshedAtMs: number,
): Promise<CaseDocuments> {
  const { pages, hasMore } = await listPages(flow, settings, refreshedAtMs);
  const documents: DocumentResult[] = [];
  for (const listed of pages) {
    documents.push(
      ...(settings.download ? await downloadPage(flow, settings, listed, refreshedAtMs) : listed.reading.documents),
    );
  }
  if (settings.download && documents.length > 0 && documents.every((document) => document.error !== undefined)) {
    throw flow.fail(
      'DownloadFailed',
      `none of ${documents.length} documents could be downloaded (first: ${documents[0]?.error ?? 'unknown'}). The list is paid and stored; start again with "once" or "maxAge" to try the files without paying, or with "relist" for fresh links`,
      { operation: 'listPublicDocuments' },
    );
  }
  const totals = pages.map(({ reading }) => reading.total).filter((total) => total !== null);
  return {
    documents,
    documentCount: Math.max(countOf(pages), ...totals),
    moreDocuments: hasMore,
    ...(pages.some(({ reading }) => reading.cut) && !settings.download ? { truncated: true as const } : {}),
  };
}

/**
 * Up to `maxPages` pages. Where the service says nothing about further ones it goes on by number until a page is empty, is not
 * known, or brings nothing new; the last proves nothing.
 */
async function listPages(
  flow: Flow,
  settings: RefreshCaseSettings,
  refreshedAtMs: number,
): Promise<{ readonly pages: readonly ListedPage[]; readonly hasMore: boolean }> {
  const pages: ListedPage[] = [];
  for (let page = 1; page <= settings.maxPages; page += 1) {
    const unsure = pages.at(-1)?.reading.unsaid === true;
    const listed = await (unsure ? listPageIfThere : listPage)(flow, settings, { page, refreshedAtMs });
    if (typeof listed === 'string') return { pages, hasMore: listed === 'refused' };
    flow.count('documentPages', page);
    // Runs from before this patch went on to `maxPages`.
    if (onlyRepeats(listed, pages) && patched('documents-stop-at-what-is-listed')) {
      return { pages, hasMore: listed.reading.hasMore };
    }
    pages.push(listed);
    flow.count('documents', countOf(pages));
    if (!listed.reading.hasMore) return { pages, hasMore: false };
    if (allAreListed(pages) && patched('documents-stop-at-what-is-listed')) return { pages, hasMore: false };
  }
  return { pages, hasMore: true };
}

function countOf(pages: readonly ListedPage[]): number {
  return pages.reduce((sum, { reading }) => sum + reading.count, 0);
}

function onlyRepeats({ reading }: ListedPage, before: readonly ListedPage[]): boolean {
  const seen = new Set(before.flatMap((page) => page.reading.documents.map(({ id }) => id)));
  return reading.documents.length > 0 && reading.documents.every(({ id }) => seen.has(id));
}

/** The service counts them all and says nothing else about pages. */
function allAreListed(pages: readonly ListedPage[]): boolean {
  const { unsaid, total = null } = pages.at(-1)?.reading ?? {};
  return unsaid === true && total !== null && countOf(pages) >= total;
}

/** A page that may not exist: a service that refuses it must not end a flow that has paid for the pages before. */
async function listPageIfThere(
  flow: Flow,
  settings: RefreshCaseSettings,
  place: Place,
): Promise<ListedPage | 'not known' | 'refused'> {
  try {
    return await listPage(flow, settings, place);
  } catch (error) {
    if (error instanceof ApplicationFailure && error.type === 'NotFound') return 'not known';
    if (error instanceof ApplicationFailure && error.type === 'Rejected') return 'refused';
    throw error;
  }
}

async function listPage(flow: Flow, settings: RefreshCaseSettings, place: Place): Promise<ListedPage> {
  const { page } = place;
  const step: ChargedStep = {
    step: place.again === true ? `listPublicDocuments/${page}/relist` : `listPublicDocuments/${page}`,
    operation: 'listPublicDocuments',
    params: { cnj: settings.cnj, page },
    flags: [],
    title: `GET documents page ${page}`,
    // Links that have expired are bought again on purpose: no list that was there before will do.
    notBeforeMs: place.again === true ? Date.now() : place.refreshedAtMs,
    ...(settings.maxAgeMs === undefined || place.again === true ? {} : { maxAgeMs: settings.maxAgeMs }),
  };
  const call = await runChargedStep(flow, step);
  return { page, call, reading: call.reading as unknown as ListedPage['reading'] };
}

/** Downloads one page; expired links are listed again, once and only with `relist`, because that costs money. */
async function downloadPage(
  flow: Flow,
  settings: RefreshCaseSettings,
  listed: ListedPage,
  refreshedAtMs: number,
): Promise<readonly DocumentResult[]> {
  if (listed.reading.documents.length === 0) return [];
  const first = await download(flow, settings, listed);
  if (first.expired.length === 0 || !settings.relist) return first.documents;
  const again = await listPage(flow, settings, { page: listed.page, refreshedAtMs, again: true });
  const second = await download(flow, settings, again, first.expired);
  const better = new Map(second.documents.map((document) => [document.id, document]));
  return first.documents.map((document) => better.get(document.id) ?? document);
}

/** Files are free: whatever keeps the activity from its end is cured by trying again, so a flow that has paid parks. */
async function download(
  flow: Flow,
  settings: RefreshCaseSettings,
  listed: ListedPage,
  only?: readonly string[],
): Promise<DownloadResult> {
  const { page, call, reading } = listed;
  for (;;) {
    flow.enter({ state: 'downloading', waitingFor: `${only?.length ?? reading.count} files` });
    try {
      return await downloadCalls(`download documents page ${page} ${flow.label()}`).downloadDocuments({
        account: settings.account,
        cnj: settings.cnj,
        intentId: call.intentId ?? '',
        page,
        ...(only === undefined ? {} : { only }),
      });
    } catch (error) {
      if (isCancellation(error)) throw error;
    }
    const step = {
      step: `download/${page}`,
      title: `download of page ${page}`,
      operation: 'listPublicDocuments' as const,
    };
    await parkUntilResumed(flow, step, {
      attention: 'stalled',
      facts: { ...NO_FACTS, reason: 'the worker could not fetch the files' },
    });
  }
}

const NO_FACTS = { charged: null, reused: false, settled: true } as const;
