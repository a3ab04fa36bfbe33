/**
 * Are the bytes of a download the whole file they claim to be? A PDF cut under connection-close framing ends without any
 * error, and an HTML page with a PDF label passes every transport check (reliability.md 6). Pure.
 */
import type { FileEdges } from './file-store.js';

export interface FileClaim {
  readonly contentType: string | undefined;
  readonly contentLength: string | undefined;
}

/** Text of what is wrong; undefined when the file may be kept. */
export function fileProblem(edges: FileEdges, claim: FileClaim): string | undefined {
  if (edges.bytes === 0) return 'the file is empty';
  if (claim.contentLength !== undefined && Number(claim.contentLength) !== edges.bytes) {
    return `the file has ${edges.bytes} bytes instead of the ${Number(claim.contentLength)} announced`;
  }
  const isPdf = edges.first.subarray(0, 5).toString('latin1') === '%PDF-';
  const saysPdf = /^application\/(?:x-)?pdf\b/i.test(claim.contentType ?? '');
  if (saysPdf && !isPdf) return 'the file is called a PDF but is none';
  if (isPdf && !edges.last.toString('latin1').includes('%%EOF')) return 'the PDF is cut: its end mark is missing';
  return undefined;
}
