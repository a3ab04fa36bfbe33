/**
 * Notices (intimações) of a lawyer, by day: none to two on every working day of the courts' calendar. A publication's
 * id contains day, lawyer and place, so its text is not stored. One in twelve is cancelled two working days later: the
 * reason then replaces the text. Pure.
 */
import { UFS } from '../../src/contract/index.js';
import { deadlineStart, isCivilDate, isWorkingDay, nextWorkingDay } from '../civil/calendar.js';
import { deriveInteger } from '../derive.js';
import { CORPUS_SIZE, cnjOfOwner, type Corpus } from './corpus.js';
import { oabKey, type Lawyer } from './people.js';

export interface Notice {
  readonly id: string;
  /** `yyyymmdd` + state (2) + number (7) + place (2). */
  readonly diarioId: string;
  readonly lawyer: Lawyer;
  readonly cnj: string;
  /** Made available, published (next working day), start of the deadline: three different dates. */
  readonly available: string;
  readonly published: string;
  readonly deadline: string;
  readonly excerpt: string;
  readonly text: string;
  readonly cancelledFrom: string | null;
}

const CANCELLED_SHARE = 12;
const ID = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{7})(\d{2})$/;

/** The notices of one lawyer and day. The list of a working day is available from 02:00, whatever the hour here. */
export function noticesOn(corpus: Corpus, lawyer: Lawyer, date: string): readonly Notice[] {
  if (!isWorkingDay(date)) return [];
  const count = deriveInteger(corpus.seed, 3, 'notices', oabKey(lawyer), date);
  return Array.from({ length: count }, (_, place) => buildNotice(corpus, lawyer, { date, place }));
}

/** Undefined when no such publication was ever made. */
export function noticeOf(corpus: Corpus, diarioId: string): Notice | undefined {
  const parts = ID.exec(diarioId);
  if (parts === null) return undefined;
  const [, year = '', month = '', day = '', state = '', number = '', place = ''] = parts;
  const date = `${year}-${month}-${day}`;
  const uf = UFS[Number(state) - 1];
  if (uf === undefined || !isCivilDate(date)) return undefined;
  return noticesOn(corpus, { uf, numero: String(Number(number)) }, date)[Number(place) - 1];
}

function buildNotice(corpus: Corpus, lawyer: Lawyer, at: { readonly date: string; readonly place: number }): Notice {
  const { date, place } = at;
  const key = oabKey(lawyer);
  const state = String(UFS.indexOf(lawyer.uf) + 1).padStart(2, '0');
  const diarioId = `${date.replaceAll('-', '')}${state}${lawyer.numero.padStart(7, '0')}${String(place + 1).padStart(2, '0')}`;
  const among = Math.min(40, CORPUS_SIZE[corpus.corpus]);
  const cnj = cnjOfOwner(corpus, key, deriveInteger(corpus.seed, among, 'notice case', diarioId));
  const published = nextWorkingDay(date);
  const text =
    `Intimação fictícia ${diarioId}. Fica a parte intimada, na pessoa de seu advogado OAB/${lawyer.uf} ${lawyer.numero}, ` +
    'do despacho proferido nos autos. '.repeat(3 + deriveInteger(corpus.seed, 40, 'length', diarioId));
  const cancelled = deriveInteger(corpus.seed, CANCELLED_SHARE, 'cancelled', diarioId) === 0;
  return {
    id: `int-${diarioId}`,
    diarioId,
    lawyer,
    cnj,
    available: date,
    published,
    deadline: deadlineStart(published),
    excerpt: text.slice(0, 160),
    text,
    cancelledFrom: cancelled ? nextWorkingDay(published) : null,
  };
}
