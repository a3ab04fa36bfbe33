/** Input of `searchBoard`, the search of the electoral bulletin board. Pure. */
import { UFS, countCivilDays, parseCivilDate, type CivilDate } from '../../contract/values/index.js';
import { isJsonObject } from '../../contract/json.js';
import type { Parameters } from '../../contract/route.js';
import { MAX_COLLECTED_PAGES } from './collect-pages.js';
import { COMMON_MEMBERS, commonSettings, type CommonInput, type CommonSettings } from './common.js';
import { guard, objectMembers, positiveInteger, problem, type Parsed } from './members.js';

/**
 * Filters of `searchBoard`: all of them narrow the search. The service's parameter of each is configured
 * (`gaps.filters.searchElectoralBoard`).
 */
export interface BoardFilters {
  /** `TSE` and at most five of `TRE-SP` …; default of the service where absent. */
  readonly courts?: readonly string[];
  readonly party?: string;
  readonly lawyer?: string;
  readonly unit?: string;
  readonly document?: string;
  readonly locality?: string;
  readonly process?: string;
}

/** Input of `searchBoard`: a period of the electoral bulletin board. */
export interface SearchBoardInput extends CommonInput {
  /** First civil day, `yyyy-MM-dd`. */
  readonly from: string;
  /** Last civil day, included. */
  readonly to: string;
  readonly filters?: BoardFilters;
  /** Of all windows together; each page is a charged call. */
  readonly maxPages: number;
}

export interface SearchBoardSettings extends CommonSettings {
  readonly from: CivilDate;
  readonly to: CivilDate;
  readonly filters: Parameters;
  readonly maxPages: number;
}

/** Interface-v1 "Limits". */
export const BOARD_WINDOW_DAYS = 7;
const MAX_REGIONAL = 5;
const TEXT_FILTERS = ['party', 'lawyer', 'unit', 'document', 'locality', 'process'];
const MEMBERS = ['from', 'to', 'filters', 'maxPages', ...COMMON_MEMBERS] as const;
const MAX_TEXT = 500;
const MAX_DAYS = MAX_COLLECTED_PAGES * BOARD_WINDOW_DAYS;

export function parseSearchBoardInput(input: unknown): Parsed<SearchBoardSettings> {
  return guard(() => {
    const example = '{"from":"2026-08-15","to":"2026-08-30","filters":{"courts":["TSE"]},"maxPages":6}';
    const members = objectMembers(input, MEMBERS, example);
    const from = day(members, 'from');
    const to = day(members, 'to');
    const days = countCivilDays(from, to);
    if (days < 1) throw problem('to', `must not be before "from" (${from})`, to);
    if (days > MAX_DAYS) throw problem('to', `must be at most ${MAX_DAYS} days after "from"`, to);
    if (members['maxPages'] === undefined) {
      throw problem('maxPages', 'is missing: each page is a charged call, say how many at most');
    }
    const maxPages = positiveInteger(members, 'maxPages', 1, MAX_COLLECTED_PAGES);
    return { ...commonSettings(members), from, to, filters: filters(members['filters']), maxPages };
  });
}

function day(members: Record<string, unknown>, member: string): CivilDate {
  const date = parseCivilDate(members[member]);
  if (date === undefined) throw problem(member, 'must be a day written yyyy-MM-dd', members[member] ?? null);
  return date;
}

function filters(given: unknown): Parameters {
  if (given === undefined) return {};
  if (!isJsonObject(given)) throw problem('filters', 'must be an object', given);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]): [string, string | readonly string[]] => {
      const member = `filters.${name.slice(0, 40)}`;
      if (name === 'courts') return [name, courts(value)];
      if (!TEXT_FILTERS.includes(name)) {
        throw problem(member, `is no filter; known: courts, ${TEXT_FILTERS.join(', ')}`);
      }
      const text = typeof value === 'string' ? value.trim() : '';
      if (text === '' || text.length > MAX_TEXT) throw problem(member, `must be 1 to ${MAX_TEXT} characters`, value);
      return [name, text];
    }),
  );
}

function courts(given: unknown): readonly string[] {
  const list = Array.isArray(given) ? (given as unknown[]) : [];
  if (list.length === 0) throw problem('filters.courts', 'must be a list like ["TSE","TRE-SP"]', given);
  const named = [...new Set(list.map(court))];
  if (named.filter((name) => name !== 'TSE').length > MAX_REGIONAL) {
    throw problem('filters.courts', `must have at most ${MAX_REGIONAL} regional courts beside TSE`, named.length);
  }
  return named;
}

function court(given: unknown): string {
  const [, uf] = /^TRE[-/ ]?([A-Z]{2})$/.exec(typeof given === 'string' ? given.trim().toUpperCase() : '') ?? [];
  if (uf !== undefined && UFS.includes(uf)) return `TRE-${uf}`;
  if (typeof given === 'string' && given.trim().toUpperCase() === 'TSE') return 'TSE';
  throw problem('filters.courts', 'must name TSE or a regional court like TRE-SP', given);
}
