/**
 * Reads everything before anything is counted or changed, to learn what is needed to find the rest: names and cases near the
 * number, sets of a lawyer's list, files of those cases. Changes nothing.
 */
import { sql } from 'kysely';
import type { TokenOf } from '../contract/values/index.js';
import { rowsInPages, type Database } from '../store/index.js';
import { learn, type Known } from './anonymise.js';
import { isWhole, mentionsIn } from './mentions.js';
import { TABLE_PLACES, type TablePlace } from './places.js';
import { rowsOf, textsOf, type PlaceRow } from './rows.js';
import type { Sought } from './subject.js';

/** Stored with an erasure until it is complete: the next run continues with it after a crash, and other workers need it. */
export interface Learned {
  readonly names: readonly string[];
  readonly cases: readonly string[];
  /** Sets of a lawyer's list. */
  readonly sets: readonly string[];
  /** Hashes of files to remove. */
  readonly files: readonly string[];
  /** Hashes of answers to calls that were about nothing but the subject. */
  readonly wholeAnswers: readonly string[];
  /** Hashes of answers to calls about a case of the person. */
  readonly caseAnswers: readonly string[];
  /** Tokens that stand for the case or the lawyer in ids. */
  readonly idTokens: readonly string[];
}

const NOTHING_LEARNED: Learned = {
  names: [],
  cases: [],
  sets: [],
  files: [],
  wholeAnswers: [],
  caseAnswers: [],
  idTokens: [],
};

/** What was learned, in a form to look things up in. */
export interface Survey extends Known {
  readonly learned: Learned;
  readonly sets: ReadonlySet<string>;
  readonly wholeAnswers: ReadonlySet<string>;
  readonly caseAnswers: ReadonlySet<string>;
}

/** An erasure that an earlier version has begun has learned less. */
export function surveyOf(known: Partial<Learned> | null): Survey {
  const learned = { ...NOTHING_LEARNED, ...known };
  const { names, cases, sets, wholeAnswers, caseAnswers } = learned;
  return {
    learned,
    names,
    cases: new Set(cases),
    sets: new Set(sets),
    wholeAnswers: new Set(wholeAnswers),
    caseAnswers: new Set(caseAnswers),
  };
}

/** A list that is still read, or was given up, has no row with its lawyer: only the calls of its flow name both. */
const SET = /"setId"\s*:\s*"([0-9a-f-]{36})"/g;
/** Rows of one page. */
const DOCUMENTS = 1_000;
const CALLS = 2_000;

export interface Looker {
  readonly db: Database;
  readonly token: TokenOf;
}

/** Calls `onText` for every text that is not in the database. */
type ReadMore = (onText: (text: string) => void) => Promise<void>;

export async function survey(
  { db, token }: Looker,
  sought: Sought,
  { before, readMore }: { readonly before: Partial<Learned> | null; readonly readMore: ReadMore },
): Promise<Survey> {
  const earlier = surveyOf(before);
  const names = new Set(earlier.names);
  const cases = new Set(earlier.cases);
  const sets = new Set(earlier.sets);
  const learnFrom = (text: string, cnj?: string): void => {
    const learned = learn(text, sought);
    for (const name of learned.names) names.add(name);
    if (learned.mentions === 0 || sought.kind === 'cnj') return;
    for (const mentioned of learned.cases) cases.add(mentioned);
    if (cnj !== undefined) cases.add(cnj);
    if (sought.kind === 'oab') for (const [, set = ''] of text.matchAll(SET)) sets.add(set);
  };
  for (const place of TABLE_PLACES) {
    for await (const row of rowsOf(db, place)) {
      for (const text of Object.values(row.cells).flatMap(textsOf)) learnFrom(text, caseOf(row));
    }
  }
  await readMore((text) => learnFrom(text));
  if (sought.kind === 'oab') for (const set of await setsOf(db, sought)) sets.add(set);
  const ownTokens = sought.kind === 'cnj' || sought.kind === 'oab' ? await idTokensOf(db, token, sought) : [];
  const idTokens = [...new Set([...earlier.learned.idTokens, ...ownTokens])];
  const files = new Set([...earlier.learned.files, ...(await filesOf(db, sought, cases))]);
  const { wholeAnswers, caseAnswers } = await answersOf(db, sought, { ...earlier, cases, idTokens });
  return surveyOf({
    names: [...names],
    cases: [...cases],
    sets: [...sets],
    files: [...files],
    wholeAnswers,
    caseAnswers,
    idTokens,
  });
}

export function caseOf({ cells: { cnj } }: PlaceRow): string | undefined {
  return typeof cnj === 'string' ? cnj : undefined;
}

/** Is the whole row about the subject? */
export function isAboutSubject(place: TablePlace, row: PlaceRow, sought: Sought, sets: ReadonlySet<string>): boolean {
  if (place.key[0] === 'set_id' && sets.has(row.key[0] ?? '')) return true;
  const value = row.cells[sought.kind];
  return typeof value === 'string' && isWhole(value, sought) && !isOfOthersToo(row, sought);
}

function isOfOthersToo({ cells }: PlaceRow, sought: Sought): boolean {
  return sought.kind === 'oab' && textsOf(cells['oabs'] ?? null).some((oab) => !isWhole(oab, sought));
}

async function setsOf(db: Database, sought: Sought): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly oab: string; readonly sets: readonly (string | null)[] }>`
    select oab, array[current::text, provisional::text] as sets from tramita.lawyer_collection`.execute(db);
  return rows.flatMap(({ oab, sets }) => (isWhole(oab, sought) ? sets.filter((set) => set !== null) : []));
}

/** Ids of flows have a token of the case if the account masks its number, and always one of the lawyer. */
async function idTokensOf(db: Database, token: TokenOf, sought: Sought): Promise<readonly string[]> {
  const value = await valueOf(db, sought);
  if (value === undefined) return [];
  return sought.kind === 'cnj' ? [token('case', value)] : [token('oab', value), token('oabs', [value])];
}

/** The number itself. If only its token is known, restored rows are searched for it. */
async function valueOf(db: Database, sought: Sought): Promise<string | undefined> {
  if (sought.value !== undefined) return sought.value;
  for (const place of TABLE_PLACES) {
    if (!(sought.kind in place.columns)) continue;
    for await (const { cells } of rowsOf(db, place)) {
      const value = cells[sought.kind];
      if (typeof value === 'string' && isWhole(value, sought)) return value;
    }
  }
  return undefined;
}

/** Files of the cases' documents, except those that are a document of another case too. */
async function filesOf(db: Database, sought: Sought, cases: ReadonlySet<string>): Promise<readonly string[]> {
  const isCase = (cnj: string): boolean => (sought.kind === 'cnj' ? isWhole(cnj, sought) : cases.has(cnj));
  type Document = Readonly<Record<'account' | 'cnj' | 'id' | 'sha256', string>>;
  const documents = (): AsyncGenerator<Document> =>
    rowsInPages<Document>(
      db,
      DOCUMENTS,
      ({ account, cnj, id } = { account: '', cnj: '', id: '', sha256: '' }) => sql`
        select account, cnj, document_id as id, sha256 from tramita.public_document
        where sha256 is not null and (account, cnj, document_id) > (${account}, ${cnj}, ${id})
        order by account, cnj, document_id`,
    );
  const going = new Set<string>();
  for await (const { cnj, sha256 } of documents()) if (isCase(cnj)) going.add(sha256);
  return withoutThoseOf(going, documents, ({ cnj }) => !isCase(cnj));
}

/**
 * Those of `hashes` that none of these rows of others has too. A second pass over the rows: to remember the hashes of all others,
 * millions of them, would take the memory of the process.
 */
async function withoutThoseOf<T extends { readonly sha256: string | null }>(
  hashes: Set<string>,
  rows: () => AsyncIterable<T>,
  isOfOthers: (row: T) => boolean,
): Promise<readonly string[]> {
  if (hashes.size === 0) return [];
  for await (const row of rows()) {
    if (row.sha256 !== null && hashes.has(row.sha256) && isOfOthers(row)) hashes.delete(row.sha256);
  }
  return [...hashes];
}

/**
 * Finds answers by the rows of their calls: an answer need not say which case it is about. A row that is erased already names
 * neither, so those that were found before count too.
 */
async function answersOf(
  db: Database,
  sought: Sought,
  { cases, idTokens, ...before }: Pick<Survey, 'cases' | 'wholeAnswers' | 'caseAnswers'> & Pick<Learned, 'idTokens'>,
): Promise<Pick<Learned, 'wholeAnswers' | 'caseAnswers'>> {
  const ofCases = { kind: 'cnj', is: (cnj: string) => cases.has(cnj) } as const;
  type Call = { readonly seq: number; readonly about: string; readonly sha256: string | null };
  const about = sql`workflow_id || ' ' || array_to_string(waiter_keys, ' ') as about`;
  async function* calls(): AsyncGenerator<Call> {
    yield* rowsInPages<Call>(
      db,
      CALLS,
      (last) => sql`
        select seq, ${about}, body_sha256 as sha256 from tramita.intent_all where seq > ${last?.seq ?? 0} order by seq`,
    );
    // Late answers that contradict a decision.
    yield* rowsInPages<Call>(
      db,
      CALLS,
      (last) => sql`
        select late.seq, ${about}, late.body_sha256 as sha256
        from tramita.settlement_conflict as late join tramita.intent_all using (intent_id)
        where late.seq > ${last?.seq ?? 0} order by late.seq`,
    );
  }
  const isOwnKind = sought.kind === 'cnj' || sought.kind === 'oab';
  const isOwn = ({ about }: Call): boolean =>
    isOwnKind && (mentionsIn(about, sought).length > 0 || idTokens.some((token) => about.includes(token)));
  const ofOwnCalls = new Set(before.wholeAnswers);
  const caseAnswers = new Set(before.caseAnswers);
  for await (const call of calls()) {
    if (call.sha256 === null) continue;
    if (isOwn(call)) ofOwnCalls.add(call.sha256);
    else if (cases.size > 0 && mentionsIn(call.about, ofCases).length > 0) caseAnswers.add(call.sha256);
  }
  // An answer that another call got too is not about the subject alone.
  const wholeAnswers = await withoutThoseOf(ofOwnCalls, calls, (call) => !isOwn(call));
  return { wholeAnswers, caseAnswers: [...caseAnswers] };
}
