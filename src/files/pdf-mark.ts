/**
 * Is this a PDF? Decided by its bytes, never by its label: a wrong label is no reason to lose a paid answer, and an HTML
 * page with the right one is still an HTML page. Pure.
 */

/** Readers of PDFs look for the mark this far into the file; junk before it is common. */
const MARK_WITHIN = 1_024;
/** JSON and HTML may well *speak* of `%PDF-`. */
const OTHER_KIND = /^\uFEFF?\s*[{["<]/;

/** `first` holds the beginning of the file, 1 KB of it where there is as much. */
export function isPdf(first: Buffer): boolean {
  const edge = first.subarray(0, MARK_WITHIN);
  return edge.includes('%PDF-') && !OTHER_KIND.test(edge.toString('utf8'));
}

/** `last` holds the end of the file, 1 KB of it where there is as much. */
export function hasEndMark(last: Buffer): boolean {
  return last.includes('%%EOF');
}
