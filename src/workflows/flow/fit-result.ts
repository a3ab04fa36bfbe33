/** Results stay under 256 KB, because a workflow result over 2 MB never completes. Longer lists are cut and marked. Pure. */
import { isFlag, isNumber, listOf, shapeOf, type Is } from './shape.js';

/** Room for lists; the rest of a result (receipts, texts) is far below the remaining 56 KB. */
const MAX_LIST_CHARS = 200_000;
const RECEIPTS_CHARS = 20_000;

/** Cuts the named lists, the later ones first, until the result fits, and marks it `truncated`. The other members count too. */
export function fitLists<T extends object>(result: T, lists: readonly (keyof T & string)[]): T {
  const rest = Object.fromEntries(Object.entries(result).filter(([name]) => !lists.some((list) => list === name)));
  let room = MAX_LIST_CHARS + RECEIPTS_CHARS - utf8Length(JSON.stringify(rest));
  let fitted = result;
  for (const name of lists) {
    const list: unknown = result[name];
    if (!Array.isArray(list)) continue;
    let kept = 0;
    for (const item of list as unknown[]) {
      room -= utf8Length(JSON.stringify(item)) + 1;
      if (room < 0) break;
      kept += 1;
    }
    if (kept < list.length) fitted = { ...fitted, [name]: list.slice(0, kept), truncated: true };
  }
  return fitted;
}

/** The beginning of a list that grows call by call, as much of it as a result can hold. */
export interface Kept<T> {
  readonly items: readonly T[];
  /** Size of the items as JSON in UTF-8. */
  readonly bytes: number;
  /** There was more than could be kept. */
  readonly dropped: boolean;
}

export const NOTHING_KEPT: Kept<never> = { items: [], bytes: 0, dropped: false };

export function keep<T>(kept: Kept<T>, more: readonly T[]): Kept<T> {
  if (kept.dropped) return kept;
  let { bytes } = kept;
  const items = [...kept.items];
  for (const item of more) {
    bytes += utf8Length(JSON.stringify(item)) + 1;
    if (bytes > MAX_LIST_CHARS) return { items, bytes, dropped: true };
    items.push(item);
  }
  return { items, bytes, dropped: false };
}

export function isKept<T>(isItem: Is<T>): Is<Kept<T>> {
  return shapeOf<Kept<T>>({ items: listOf(isItem), bytes: isNumber, dropped: isFlag });
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
