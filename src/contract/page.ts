/**
 * Reads where the next page is, in any of the five styles. Pure. Only `links.next` is used as a link, and only its query, byte
 * for byte but for blanks and characters beyond ASCII; a link to another origin or path is refused. All other styles give
 * positions that go into a request of our own.
 */
import { atPath, firstAt, isJsonObject, textOf } from './json.js';
import { readCount, readFlag } from './records/fields.js';
import { cnjDigits, present } from './values/index.js';

/** Where the next page is. */
export type NextPage =
  /** `links.next.href`: our own path with the link's query. */
  | { readonly kind: 'link'; readonly target: string }
  /** `cursor` and `li` for the next call. */
  | { readonly kind: 'cursor'; readonly cursor: string; readonly li?: string }
  /** Number of the next page. */
  | { readonly kind: 'page'; readonly page: number }
  /** The service says that there is no next page. */
  | { readonly kind: 'end' }
  /** A link that must not be followed. */
  | RefusedLink
  /** The answer says nothing about pages. */
  | { readonly kind: 'unsaid' };

interface RefusedLink {
  readonly kind: 'refused';
  readonly problem: string;
  /** True when it leads back to a page that was already read. */
  readonly loops?: true;
}

/** What an answer says about its pages. */
export interface PageReading {
  /** Where the next page is, or why there is none. */
  readonly next: NextPage;
  /** Items in all, as the service reports; undefined when it does not. Provisional where coverage is partial. */
  readonly total?: number;
  /** Pages in all, as the service reports; undefined when it does not. */
  readonly totalPages?: number;
}

/** The request whose answer is read. */
export interface PageContext {
  /** Target of the request that was answered; its path is the only one that a link may name. */
  readonly target: string;
  /** Base URL of the account, for absolute links. */
  readonly baseUrl: string;
  /** Page that was asked for; 1 when none was named. */
  readonly page: number;
  /** Items on this page; an empty page is the last one. */
  readonly listed: number;
}

/** Members that hold page numbers: the answer's own, `pagination`, `paginator`, `meta`. */
const NUMBER_PLACES = ['pagination.', 'paginator.', '', 'meta.', 'meta.pagination.'];
const TOTAL = ['total', 'totalDisponivel', 'total_disponivel', 'total_items'];
const LAST = ['totalPages', 'total_pages', 'last_page', 'lastPage', 'pages'];
const SIZE = ['per_page', 'perPage', 'limit', 'page_size'];
/** Says whether there is another page, without a link and without numbers. */
const MORE = ['hasMore', 'has_more', 'hasNext', 'has_next', 'hasNextPage', 'has_next_page'];
const MAX_LINK = 8_000;

/** Reads where the next page is, and how many items and pages there are. */
export function readPage(body: unknown, context: PageContext): PageReading {
  const data = isJsonObject(body) ? body['data'] : undefined;
  const places = [data, body].filter((place) => isJsonObject(place));
  const number = (names: readonly string[]): number | undefined =>
    firstOf(places, (place) => firstAt(place, inNumberPlaces(names), readCount));
  const total = number(TOTAL);
  const totalPages = number(LAST);
  const size = number(SIZE);
  const hasMore = firstOf(places, (place) => firstAt(place, inNumberPlaces(MORE), readFlag));
  const numbers = byNumbers({ total, totalPages, size, hasMore }, context);
  const cursor = firstOf(places, byCursor);
  // A null cursor ends a list that is read by cursor. It says nothing in a list that is read by page number.
  const isReadByNumber = (totalPages ?? size) !== undefined && !/[?&]cursor=/.test(context.target);
  const isCursorIgnored = cursor?.kind === 'end' && numbers.kind === 'page' && isReadByNumber;
  const next = firstOf(places, (place) => byLink(place, context)) ?? (isCursorIgnored ? undefined : cursor) ?? numbers;
  return {
    next: context.listed === 0 && next.kind !== 'link' && next.kind !== 'refused' ? { kind: 'end' } : next,
    ...present({ total, totalPages }),
  };
}

/** The target of the next page, from the `href` of a link; `problem` says why it must not be followed. */
export function readNextLink(
  raw: string,
  { target, baseUrl }: Pick<PageContext, 'target' | 'baseUrl'>,
): { readonly ok: true; readonly target: string } | ({ readonly ok: false } & Omit<RefusedLink, 'kind'>) {
  const href = raw.length > MAX_LINK ? raw : inAscii(raw);
  if (href.length > MAX_LINK || !/^[\x21-\x7e]+$/.test(href) || /[\\#]/.test(href)) {
    return { ok: false, problem: 'the next link has characters that are not allowed in a request line' };
  }
  const [ownPath = ''] = target.split('?', 1);
  const base = splitUrl(baseUrl);
  const link = splitUrl(inFull(href, ownPath, base?.origin));
  if (link === undefined) return { ok: false, problem: 'the next link is not an http address' };
  if (link.origin !== '' && link.origin !== base?.origin) {
    return { ok: false, problem: 'the next link points to another origin' };
  }
  const basePath = (base?.path ?? '').replace(/\/+$/, '');
  const paths = [ownPath, basePath + ownPath];
  if (link.path !== '' && !paths.some((path) => samePath(path, link.path))) {
    return { ok: false, problem: 'the next link points to another path' };
  }
  if (link.query === '') {
    return { ok: false, problem: 'the next link has no query, it would be the first page again', loops: true };
  }
  const next = `${ownPath}?${link.query}`;
  if (next === target) return { ok: false, problem: 'the next link is the page itself', loops: true };
  return { ok: true, target: next };
}

/** A relative reference (RFC 3986, 4.2) with the scheme or the path that it leaves out. Anything else stays as it is. */
function inFull(href: string, ownPath: string, origin = ''): string {
  if (href.startsWith('//')) return `${origin.split('//', 1)[0] ?? ''}${href}`;
  const isBesideOwn = /^[^/?:]+(?:[/?]|$)/.test(href);
  return isBesideOwn ? `${ownPath.replace(/[^/]*$/, '')}${href.replace(/^\.\//, '')}` : href;
}

/**
 * An address in the characters of a request line, as browsers write it: no blanks around it, blanks and characters beyond
 * ASCII in `%XX`. Everything else stays byte for byte. Browsers drop line breaks and tabs within; here they stay, and are
 * refused.
 */
function inAscii(href: string): string {
  return href.trim().replace(/[ \u0080-\ud7ff\ue000-\u{10ffff}]+/gu, encodeURIComponent);
}

function byLink(place: unknown, context: PageContext): NextPage | undefined {
  const links = atPath(place, 'links');
  if (!isJsonObject(links) || !Object.hasOwn(links, 'next')) return undefined;
  const next = links['next'];
  const href = isJsonObject(next) ? next['href'] : next;
  if (href === null || href === undefined || href === '') {
    return (isJsonObject(next) ? byCursor(next) : undefined) ?? { kind: 'end' };
  }
  if (typeof href !== 'string') return { kind: 'refused', problem: 'the next link is not text' };
  const read = readNextLink(href, context);
  if (read.ok) return { kind: 'link', target: read.target };
  return { kind: 'refused', problem: read.problem, ...present({ loops: read.loops }) };
}

function byCursor(place: unknown): NextPage | undefined {
  for (const prefix of ['', 'pagination.']) {
    const named = atPath(place, `${prefix}cursor`);
    const cursor = textOf(named);
    const li = textOf(atPath(place, `${prefix}li`));
    if (cursor !== undefined) return { kind: 'cursor', cursor, ...present({ li }) };
    if (named === null || named === '') return { kind: 'end' };
  }
  return undefined;
}

function inNumberPlaces(names: readonly string[]): readonly string[] {
  return NUMBER_PLACES.flatMap((prefix) => names.map((name) => prefix + name));
}

function byNumbers(
  shown: {
    readonly total: number | undefined;
    readonly totalPages: number | undefined;
    readonly size: number | undefined;
    readonly hasMore: boolean | undefined;
  },
  { page, listed }: PageContext,
): NextPage {
  const { total, totalPages, size, hasMore } = shown;
  const more = (yes: boolean): NextPage => (yes ? { kind: 'page', page: page + 1 } : { kind: 'end' });
  if (totalPages !== undefined) return more(page < totalPages);
  if (hasMore !== undefined) return more(hasMore);
  if (total === undefined) return { kind: 'unsaid' };
  if (size !== undefined && size > 0) return more(page * size < total);
  // Neither pages nor size: page 1 shows how many items a page has.
  return page === 1 ? more(listed < total) : { kind: 'unsaid' };
}

/** Undefined for other schemes and for addresses with a user; `origin` is empty for a path or a bare query. */
function splitUrl(url: string): { readonly origin: string; readonly path: string; readonly query: string } | undefined {
  const match = /^(?:(https?):\/\/([^/?#@]+))?(\/(?!\/)[^?#]*)?(?:\?([^#]*))?$/i.exec(url);
  if (match === null) return undefined;
  const [, scheme = '', authority = '', path = '', query = ''] = match;
  const host = authority.toLowerCase().replace(scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/, '');
  return { origin: authority === '' ? '' : `${scheme.toLowerCase()}://${host}`, path, query };
}

/** Equal segment by segment; a case number may have its mask or not. */
function samePath(left: string, right: string): boolean {
  const [ours, theirs] = [left.split('/'), right.split('/')];
  return (
    ours.length === theirs.length &&
    ours.every((segment, index) => {
      const other = theirs[index] ?? '';
      const digits = cnjDigits(segment);
      return segment === other || (digits !== undefined && digits === cnjDigits(other));
    })
  );
}

function firstOf<T>(places: readonly unknown[], read: (place: unknown) => T | undefined): T | undefined {
  for (const place of places) {
    const found = read(place);
    if (found !== undefined) return found;
  }
  return undefined;
}
