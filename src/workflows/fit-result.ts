/** Results stay under 256 KB (design 7): a workflow result over 2 MB never completes. Longer lists are cut and say so. Pure. */

/** Room for lists; the rest of a result (receipts, texts) is far below the remaining 56 KB. */
const MAX_LIST_CHARS = 200_000;

/** Cuts `documents` from the end until the result fits, and marks it `truncated`. UTF-8 counts three bytes a character at worst. */
export function fitResult<T extends { readonly documents: readonly unknown[] }>(result: T): T {
  let room = MAX_LIST_CHARS;
  let kept = 0;
  for (const document of result.documents) {
    room -= utf8Length(JSON.stringify(document)) + 1;
    if (room < 0) break;
    kept += 1;
  }
  if (kept === result.documents.length) return result;
  return { ...result, documents: result.documents.slice(0, kept), truncated: true };
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
