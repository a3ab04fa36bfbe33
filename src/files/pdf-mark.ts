/**
 * Whether a file is a PDF, decided by its bytes and never by its content type: a wrong type is no reason to lose a paid answer,
 * and an HTML page with the right type is still an HTML page. Pure.
 */

/** Readers of PDFs look for the mark this far into the file; junk before it is common. */
const MARK_WITHIN = 1_024;
/** JSON and HTML may contain the text `%PDF-`. */
const OTHER_KIND = /^\uFEFF?\s*[{["<]/;

/** `first`: the first 1 KB of the file, or all of a shorter one. */
export function isPdf(first: Buffer): boolean {
  const edge = first.subarray(0, MARK_WITHIN);
  return edge.includes('%PDF-') && !OTHER_KIND.test(edge.toString('utf8'));
}

/** `last`: the last 1 KB of the file, or all of a shorter one. */
export function hasEndMark(last: Buffer): boolean {
  return last.includes('%%EOF');
}
