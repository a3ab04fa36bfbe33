/** `searchBoard`: a period of the electoral bulletin board, cut into windows. */
import { isJsonObject } from '../../contract/json.js';
import type { Parameters } from '../../contract/route.js';
import { UFS, countCivilDays, shownName } from '../../contract/values/index.js';
import { defineFlow, workflowIdOf } from '../flow.js';
import { MAX_COLLECTED_PAGES, day, statedPages, withFlag } from '../inputs/kinds.js';
import { problem, type Member } from '../inputs/members.js';
import type { CommonInput } from '../inputs/common.js';
import type { FlowCosts, PagesStop } from '../results.js';

/**
 * Filters of `searchBoard`: all of them narrow the search. The service's parameter of each is configured
 * (`gaps.filters.searchElectoralBoard`).
 */
export interface BoardFilters {
  /** `TSE` and at most five of `TRE-SP` …; default of the service where absent. */
  readonly courts?: readonly string[];
  /** Name of a party, up to 500 characters. */
  readonly party?: string;
  /** Name or registration of a lawyer, up to 500 characters. */
  readonly lawyer?: string;
  /** Name of a court unit, up to 500 characters. */
  readonly unit?: string;
  /** Kind of document, up to 500 characters. */
  readonly document?: string;
  /** Name of a place, up to 500 characters. */
  readonly locality?: string;
  /** Number of a case, up to 500 characters. */
  readonly process?: string;
}

/** Input of `searchBoard`: a period of the electoral bulletin board. */
export interface SearchBoardInput extends CommonInput {
  /** First civil day, `yyyy-MM-dd`. */
  readonly from: string;
  /** Last civil day, included. */
  readonly to: string;
  /** What narrows the search; everything of the period where absent. */
  readonly filters?: BoardFilters;
  /** Of all windows together; each page is a charged call. */
  readonly maxPages: number;
}

/** Result of `searchBoard`: how much was read. The publications themselves are in the database. */
export interface SearchBoardResult extends FlowCosts {
  /** Windows of at most seven civil days that were read. */
  readonly windows: number;
  /** Publications on the pages that were read. */
  readonly publications: number;
  /** Pages that were read. */
  readonly pages: number;
  /** Every window was read to its last page. */
  readonly complete: boolean;
  /** Why a window ended before its last page; absent where all were read. */
  readonly stoppedBy?: PagesStop;
}

/** Interface "Limits". */
export const BOARD_WINDOW_DAYS = 7;
const MAX_DAYS = MAX_COLLECTED_PAGES * BOARD_WINDOW_DAYS;
const MAX_REGIONAL = 5;
const TEXT_FILTERS = ['party', 'lawyer', 'unit', 'document', 'locality', 'process'];
const MAX_TEXT = 500;
const boardDay = day('must be a day written yyyy-MM-dd');

const filters: Member<Parameters> = {
  schema: {
    properties: {
      courts: { minItems: 1, items: { enum: ['TSE', ...UFS.map((uf) => `TRE-${uf}`)] } },
      ...Object.fromEntries(TEXT_FILTERS.map((filter) => [filter, { pattern: '\\S', maxLength: MAX_TEXT }])),
    },
  },
  read: (value, name) => {
    if (value === undefined) return {};
    if (!isJsonObject(value)) throw problem(name, 'must be an object', value);
    return Object.fromEntries(
      Object.entries(value).map(([filter, given]): [string, string | readonly string[]] => {
        const member = `${name}.${shownName(filter)}`;
        if (filter === 'courts') return [filter, courts(given, member)];
        if (!TEXT_FILTERS.includes(filter)) {
          throw problem(member, `is not a filter; known: courts, ${TEXT_FILTERS.join(', ')}`);
        }
        const text = typeof given === 'string' ? given.trim() : '';
        if (text === '' || text.length > MAX_TEXT) throw problem(member, `must be 1 to ${MAX_TEXT} characters`, given);
        return [filter, text];
      }),
    );
  },
  flag: { takes: '<json>', form: 'json', help: 'its filters, like {"courts":["TSE","TRE-SP"]}' },
};

function courts(given: unknown, member: string): readonly string[] {
  const list = Array.isArray(given) ? (given as unknown[]) : [];
  if (list.length === 0) throw problem(member, 'must be a list like ["TSE","TRE-SP"]', given);
  const named = [...new Set(list.map((each) => court(each, member)))];
  if (named.filter((name) => name !== 'TSE').length > MAX_REGIONAL) {
    throw problem(member, `must have at most ${MAX_REGIONAL} regional courts besides TSE`, named.length);
  }
  return named;
}

function court(given: unknown, member: string): string {
  const name = typeof given === 'string' ? given.trim().toUpperCase() : '';
  const [, uf] = /^TRE[-/ ]?([A-Z]{2})$/.exec(name) ?? [];
  if (uf !== undefined && UFS.includes(uf)) return `TRE-${uf}`;
  if (name === 'TSE') return name;
  throw problem(member, 'must name TSE or a regional court like TRE-SP', given);
}

export const searchBoard = defineFlow<SearchBoardInput, SearchBoardResult>()({
  idPrefix: 'board',
  example: '{"from":"2026-08-15","to":"2026-08-30","filters":{"courts":["TSE"]},"maxPages":6}',
  members: {
    from: withFlag(boardDay, { takes: '<day>', help: 'first day of searchBoard, yyyy-MM-dd' }),
    to: withFlag(boardDay, { takes: '<day>', help: 'its last day' }),
    filters,
    maxPages: statedPages,
  },
  combine: (read) => {
    const { from, to } = read;
    const days = countCivilDays(from, to);
    if (days < 1) throw problem('to', `must not be before "from" (${from})`, to);
    if (days > MAX_DAYS) throw problem('to', `must be at most ${MAX_DAYS} days after "from"`, to);
    return read;
  },
  place: ({ from, to, filters: asked, maxPages }, { token }) => ({
    id: [token('board', { from, to, filters: asked, maxPages })],
    summary: `Electoral bulletin board from ${from} to ${to}, at most ${maxPages} pages`,
  }),
});

/** Default workflow id of `searchBoard`. `token`: of period, filters and pages; filters may be personal. */
export function searchBoardId(account: string, token: string): string {
  return workflowIdOf(searchBoard, account, token);
}
