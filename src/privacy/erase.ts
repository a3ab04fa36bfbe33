/**
 * Takes a subject out of every place. Each step is a short transaction of its own and can be repeated, so a run that was killed
 * is simply started again: it continues with what the first one had learned. What is found through other rows is erased before
 * them. At the end everything is searched again, until nothing is left.
 */
import type { Files } from '../files/index.js';
import {
  addCount,
  beginErasure,
  completeErasure,
  erasuresFor,
  keepLearned,
  learnedBefore,
  noteSwept,
  reportJournal,
  type Asked,
} from './erasure-log.js';
import { removeUnlessUsed } from './drop-files.js';
import { look, OTHER_TABLES, type Holdings } from './find.js';
import type { FlowRun } from './flows-of.js';
import { judgeAnswer, judgeRow } from './judge.js';
import { rowsOf } from './rows.js';
import { seekToken, type Sought } from './subject.js';
import { surveyOf, type Survey } from './survey.js';
import { answersIn, forgetFile, replaceAnswer, writeVerdict } from './write-erased.js';

export interface EraseOrder extends Asked {
  readonly sought: Sought;
  /** End flows that still run, and remove schedules. */
  readonly cancel: boolean;
  /** Id of a journal whose worker will not come back. */
  readonly without?: string;
  readonly clock: () => number;
  /** Called after each step: a place, and how many things of it were changed. */
  readonly onStep?: (place: string, count: number) => void | Promise<void>;
}

export type Erased =
  /** Nothing was changed. */
  | { readonly kind: 'running'; readonly workflowIds: readonly string[]; readonly schedules: readonly string[] }
  | {
      readonly kind: 'erased';
      readonly erasureId: string;
      /** What this run has changed, by place. */
      readonly counts: Readonly<Record<string, number>>;
      /** Workers whose disks are still to be cleaned, by host and folder. */
      readonly waitsFor: readonly string[];
    };

/** What is written while one round searches is found by the next. */
const MOST_ROUNDS = 4;

export async function eraseSubject(holdings: Holdings, order: EraseOrder): Promise<Erased> {
  const { db, disk, flows } = holdings;
  const { sought, cancel } = order;
  let found = await look(holdings, sought, await learnedBefore(db, order));
  const running = found.runs.filter(({ isRunning }) => isRunning);
  if (!cancel && running.length + found.schedules.length > 0) {
    const schedules = found.schedules.map(({ name }) => name);
    return { kind: 'running', workflowIds: running.map(({ workflowId }) => workflowId), schedules };
  }
  const id = await beginErasure(db, order);
  const counts: Record<string, number> = {};
  const step = async (place: string, count: number): Promise<void> => {
    counts[place] = (counts[place] ?? 0) + count;
    await addCount(db, id, place, count);
    await order.onStep?.(place, count);
  };
  for (let round = 1; ; round += 1) {
    await keepLearned(db, id, found.known.learned);
    await order.onStep?.('learned', 0);
    for (const { name } of found.schedules) {
      await flows.removeSchedule(name);
      await step('schedules', 1);
    }
    for (const run of found.runs.filter(({ isRunning }) => isRunning)) await flows.end(run);
    const changed = await sweep(holdings, { ...order, step }, found);
    if (changed === 0) break;
    if (round === MOST_ROUNDS) {
      throw new Error('tramita: data of the subject is still being written; stop what asks for it, and run this again');
    }
    found = await look(holdings, sought, found.known.learned);
  }
  await disk.remember(order);
  await noteSwept(db, id);
  const journalId = await disk.journalId();
  if (journalId !== undefined) await reportJournal(db, id, journalId);
  if (order.without !== undefined) await reportJournal(db, id, order.without);
  const waitsFor = await completeErasure(db, id);
  return { kind: 'erased', erasureId: id, counts, waitsFor };
}

interface Sweep {
  readonly sought: Sought;
  readonly clock: () => number;
  readonly step: (place: string, count: number) => Promise<void>;
}

/** Returns how many things were changed, or could not be because somebody else has changed them meanwhile. */
async function sweep(
  { db, disk, files, flows }: Holdings,
  { sought, clock, step }: Sweep,
  { known, runs }: { readonly known: Survey; readonly runs: readonly FlowRun[] },
): Promise<number> {
  let total = 0;
  const note = async (place: string, count: number): Promise<void> => {
    total += count;
    await step(place, count);
  };
  for await (const answer of answersIn(db)) {
    const rest = judgeAnswer(answer, sought, known);
    if (rest === undefined) continue;
    await replaceAnswer(db, answer, rest, clock());
    await note('answers', 1);
  }
  for (const sha256 of known.learned.files) {
    const isThere = (await files.missing([files.nameOf(sha256)])).size === 0;
    await forgetFile(db, sha256, clock());
    if ((await removeUnlessUsed(db, files, sha256)) && isThere) await note('files', 1);
  }
  for (const place of OTHER_TABLES) {
    let changed = 0;
    for await (const row of rowsOf(db, place)) {
      const verdict = judgeRow(place, row, sought, known);
      if (verdict.kind === 'stays') continue;
      if (await writeVerdict(db, place, row, verdict)) changed += 1;
      else total += 1;
    }
    if (changed > 0) await note(place.place, changed);
  }
  for (const [place, count] of Object.entries(await disk.clean(sought, known, { write: true }))) {
    if (count > 0) await note(place, count);
  }
  for (const run of runs) {
    await flows.remove(run);
    await note('flows', 1);
  }
  return total;
}

/**
 * Cleans this worker's disk for erasures that were swept elsewhere; returns how many. It knows only their tokens, and the names
 * that an erasure keeps until every worker has reported.
 */
export async function honourErasures(
  own: Pick<Holdings, 'db' | 'token' | 'disk'> & { readonly files: Pick<Files, 'remove'> },
): Promise<number> {
  const { db, token, disk, files } = own;
  const journalId = await disk.journalId();
  if (journalId === undefined) return 0;
  const owed = await erasuresFor(db, journalId);
  for (const erasure of owed) {
    const known = surveyOf(erasure.learned);
    const sought = seekToken(token, erasure.kind, erasure.token);
    await disk.clean(sought, known, { write: true });
    for (const sha256 of known.learned.files) await removeUnlessUsed(db, files, sha256);
    await disk.remember(erasure);
    await reportJournal(db, erasure.id, journalId);
    await completeErasure(db, erasure.id);
  }
  return owed.length;
}
