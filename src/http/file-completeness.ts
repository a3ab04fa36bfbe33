/**
 * Decides whether bytes are the whole file they claim to be. A PDF cut under connection-close framing ends without any
 * error, and an HTML page with a PDF label passes every transport check. There are two rules, because the stakes differ:
 * a free download can be repeated, so it is judged strictly; a paid PDF is kept unless it may be incomplete. Pure.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { hasEndMark, isPdf, type FileEdges } from '../files/index.js';

/** Error and login pages come with status 200 and any content type. */
const HTML = /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype\s+html|html)\b/i;
/** Error body of a storage that refuses a link; an intermediary may have turned its status into 200. */
const XML_ERROR = /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?<Error>\s*<Code>/;
const JSON_TYPE = /^\s*(?:application|text)\/(?:[\w.-]+\+)?json\b/i;

const PDF_TYPE = /^application\/(?:x-)?pdf\b/i;

/** True when the answer has a length or chunks. Without both, a cut looks like the end. */
export function isFramed(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || /\bchunked$/i.test(headers['transfer-encoding'] ?? '');
}

export interface FileClaim {
  readonly contentType: string | undefined;
  readonly contentLength: string | undefined;
  /** See {@link isFramed}. */
  readonly framed: boolean;
  /** Extension from the list of documents; absent when the list gives none. */
  readonly extension?: string | undefined;
}

/** Text of what is wrong with a download; undefined when the file may be kept. */
export function fileProblem(edges: FileEdges, claim: FileClaim): string | undefined {
  return lengthProblem(edges, claim.contentLength) ?? kindProblem(edges, claim) ?? endProblem(edges, claim);
}

/** Whether a part of the file is missing: the next download of it may be whole. */
export function isCutShort(edges: FileEdges, contentLength: string | undefined): boolean {
  const { first, last } = edges;
  return lengthProblem(edges, contentLength) !== undefined || (isPdf(first) && !hasEndMark(last));
}

function lengthProblem({ bytes }: FileEdges, contentLength: string | undefined): string | undefined {
  if (bytes === 0) return 'the file is empty';
  if (contentLength === undefined || Number(contentLength) === bytes) return undefined;
  return `the file has ${bytes} bytes instead of the ${Number(contentLength)} announced`;
}

function kindProblem({ first }: FileEdges, { contentType = '', ...claim }: FileClaim): string | undefined {
  const text = first.toString('utf8');
  const extension = (claim.extension ?? '').trim().replace(/^\./, '');
  if (HTML.test(text) && !/^x?html?$/i.test(extension)) return 'an HTML page came instead of the document';
  // No document of a court is JSON.
  const isJson = JSON_TYPE.test(contentType) && /^\uFEFF?\s*[{[]/.test(text) && !/^json$/i.test(extension);
  if (isJson || XML_ERROR.test(text)) return 'an error message came instead of the document';
  const isCalledPdf = PDF_TYPE.test(contentType) || /^pdf$/i.test(extension);
  return isCalledPdf && !isPdf(first) ? 'the file is declared as a PDF, but is not one' : undefined;
}

/** A PDF marks its own end; the end of any other file shows only in its framing. */
function endProblem({ first, last }: FileEdges, { framed }: FileClaim): string | undefined {
  if (isPdf(first)) return hasEndMark(last) ? undefined : 'the PDF is truncated: its end mark is missing';
  return framed ? undefined : 'the answer gives no length, so its end cannot be known';
}

export interface Transfer {
  readonly status: number;
  /** The answer gave its length or came in chunks, and all of it arrived. */
  readonly framed: boolean;
}

/** Like {@link fileProblem}, for a paid answer that is already known to be a PDF. */
export function paidPdfProblem(edges: FileEdges, { status, framed }: Transfer): string | undefined {
  if (status === 206) return 'the answer is a part of the PDF, which was not asked for';
  if (!framed && !hasEndMark(edges.last)) return 'the PDF has neither a length nor an end mark: it may be truncated';
  return undefined;
}
