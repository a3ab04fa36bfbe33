/**
 * Cuts a period into windows of at most seven civil days, the service's limit, both ends included (interface, rule 10). Pure.
 */
import { addCivilDays, countCivilDays, parseAmount, type Amount, type CivilDate } from '../contract/values/index.js';
import { BOARD_WINDOW_DAYS } from './flows/search-board.js';

export interface BoardWindow {
  readonly from: CivilDate;
  readonly to: CivilDate;
}

/** In order, without gaps and without overlap; only the last may be shorter. */
export function cutIntoWindows({ from, to }: BoardWindow): readonly BoardWindow[] {
  const count = Math.ceil(countCivilDays(from, to) / BOARD_WINDOW_DAYS);
  return Array.from({ length: count }, (_, place) => {
    const first = addCivilDays(from, place * BOARD_WINDOW_DAYS);
    const last = addCivilDays(first, BOARD_WINDOW_DAYS - 1);
    return { from: first, to: last < to ? last : to };
  });
}

/** The cost of all pages of a search at `price` each, and whether it fits under the cap of its input. */
export function worstOfBoard(search: {
  readonly price: string;
  readonly maxPages: number;
  readonly maxSpend: string | undefined;
}): { readonly worst: Amount; readonly fits: boolean } {
  const worst = ((parseAmount(search.price) ?? 0) * search.maxPages) as Amount;
  const cap = search.maxSpend === undefined ? undefined : parseAmount(search.maxSpend);
  return { worst, fits: cap === undefined || worst <= cap };
}
