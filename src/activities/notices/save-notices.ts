/** Stores the notices and the texts in the stored answers of a sync. Free, and may be repeated: rows are keyed by their ids. */
import {
  addCivilDays,
  isJsonObject,
  present,
  readNotices,
  readPublication,
  type CivilDate,
  type Json,
  type Notice,
  type NoticeList,
  type OabKey,
} from '../../contract/index.js';
import type {
  FindNoticeTextsInput,
  SaveNoticesInput,
  SaveNoticesResult,
  SaveNoticeTextInput,
} from '../../protocol/index.js';
import type { Asker } from '../asker.js';
import type { ActivityDeps } from '../deps.js';
import { readDatedAnswer, readStoredAnswer } from '../stored-answer.js';
import { impossible } from '../to-failure.js';
import { REACH_DAYS } from './plan-notices.js';

type Deps = Pick<ActivityDeps, 'ledger' | 'notices' | 'clock' | 'log'>;

const MOST_COUNTED = 100_000;

export async function saveNotices(
  deps: Deps,
  input: SaveNoticesInput,
  { attempt, scheduledAtMs }: Pick<Asker, 'attempt' | 'scheduledAtMs'>,
): Promise<SaveNoticesResult> {
  const { account, oabs, today, intentId, missing } = input;
  const { list, openedAtMs } = missing === undefined ? await readList(deps, input) : noneOf(missing);
  const saved = await deps.notices.save({
    account,
    oabs,
    notices: oabs.length === 1 ? list.records.map((notice) => ofAsked(notice, oabs[0])) : list.records,
    today: today as CivilDate,
    askedAtMs: openedAtMs,
    ...present({
      from: input.desde as CivilDate | undefined,
      cut: cutOf(list, { oabs, today: today as CivilDate }),
      firstTriedAtMs: attempt > 1 ? scheduledAtMs : undefined,
    }),
    nowMs: deps.clock.nowMs(),
  });
  if (missing?.looked === false) {
    deps.log.warn(
      { account, intentId, registrations: oabs.length, readUntil: saved.readUntil },
      'a query of notices was answered 404, without a stated consumption: the next sync asks again',
    );
  } else if (list.cut) {
    const facts = { account, intentId, registrations: oabs.length, given: list.records.length, total: list.total };
    deps.log.warn(
      { ...facts, readUntil: saved.readUntil },
      'the service has more notices than it returned: the next sync asks again; ask for fewer registrations at once',
    );
  }
  const unmonitored = oabs.filter((oab) => list.unmonitored.includes(oab));
  return { ...saved, ...present({ unmonitored: unmonitored.length === 0 ? undefined : unmonitored }) };
}

type ListOfRow = Pick<NoticeList, 'records' | 'cut' | 'total' | 'unmonitored'>;

async function readList(
  deps: Deps,
  { account, intentId }: SaveNoticesInput,
): Promise<{ readonly list: ListOfRow; readonly openedAtMs: number }> {
  const answer = await readDatedAnswer(deps, account, intentId);
  const list = readNotices(answer?.json);
  if (answer === undefined || list === undefined) throw impossible(`ledger row ${intentId} has no list of notices`);
  return { list, openedAtMs: answer.openedAtMs };
}

/** An empty list; it is known to be whole only if the service has looked. */
function noneOf({ looked, askedAtMs }: NonNullable<SaveNoticesInput['missing']>): {
  readonly list: ListOfRow;
  readonly openedAtMs: number;
} {
  return { list: { records: [], cut: !looked, total: null, unmonitored: [] }, openedAtMs: askedAtMs };
}

/** The notice with the registration that was asked for, if it names none itself. */
function ofAsked(notice: Notice, oab: string | undefined): Notice {
  return { ...notice, oab: notice.oab ?? (oab as OabKey | undefined) ?? null };
}

/**
 * Up to which day a list that was cut is whole; undefined if it was not cut. The day is known only for one registration whose
 * notices come oldest first: only newer ones are missing. With several registrations, any of them may lack notices from any day
 * on. Pure.
 */
function cutOf(
  { cut, records }: Pick<NoticeList, 'cut' | 'records'>,
  { oabs, today }: { readonly oabs: readonly string[]; readonly today: CivilDate },
): Parameters<Deps['notices']['save']>[0]['cut'] {
  if (!cut) return undefined;
  const days = records.map(({ madeAvailableOn, date }) => madeAvailableOn ?? date);
  const [first, last] = [days[0] ?? null, days.at(-1) ?? null];
  const isOldestFirst =
    first !== null &&
    last !== null &&
    first < last &&
    days.every((day, at) => day !== null && day >= (days[at - 1] ?? day));
  return {
    wholeUntil: oabs.length === 1 && isOldestFirst ? last : null,
    reach: addCivilDays(today, -REACH_DAYS),
  };
}

/** Publications to buy: those that this run asked for before a reset, then the newest. `left`: how many exceed the limit. */
export async function findNoticeTexts(
  deps: Deps,
  { account, oabs, limit, run }: FindNoticeTextsInput,
): Promise<{ readonly publicationIds: readonly string[]; readonly left: number }> {
  const missing = await deps.notices.withoutText(account, oabs, MOST_COUNTED);
  const asked = run === undefined ? [] : await deps.ledger.list({ ...run, operation: 'getPublication' });
  const before = asked.map(({ step }) => step.slice(step.indexOf('/') + 1)).reverse();
  const wanted = [...new Set([...before, ...missing])];
  return { publicationIds: wanted.slice(0, limit), left: Math.max(0, wanted.length - limit) };
}

export async function saveNoticeText(deps: Deps, input: SaveNoticeTextInput): Promise<void> {
  const { account, publicationId, intentId } = input;
  const nowMs = deps.clock.nowMs();
  if (intentId === undefined) {
    // Not asked for again: the service knows no such publication, or refuses it.
    await deps.notices.saveText({ account, publicationId, data: null, nowMs });
    return;
  }
  const answer = await readStoredAnswer(deps, account, intentId);
  if (answer === undefined) throw impossible(`ledger row ${intentId} has no answer`);
  if (readPublication(answer) === undefined) {
    deps.log.warn({ intentId, publicationId }, 'the answer has no publication');
  }
  await deps.notices.saveText({ account, publicationId, data: textIn(answer), nowMs });
}

/** The record of a publication, or the plain text in its place: it was paid, and is not bought again every night. Pure. */
export function textIn(answer: unknown): Json {
  return readPublication(answer)?.data ?? plainText(answer);
}

/** The text that stands where the record should be; null if there is none. */
function plainText(answer: unknown): string | null {
  const data = isJsonObject(answer) ? answer['data'] : answer;
  return typeof data === 'string' ? data : null;
}
