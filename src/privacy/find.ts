/** Finds everything that is held about a subject, place by place. Changes nothing. */
import { buffer } from 'node:stream/consumers';
import { anonymise } from './anonymise.js';
import type { Files } from '../files/index.js';
import { learnedBefore } from './erasure-log.js';
import type { FlowRun, Flows, FlowSchedule } from './flows-of.js';
import { judgeAnswer, judgeRow } from './judge.js';
import { casesIn } from './mentions.js';
import type { OwnDisk } from './own-disk.js';
import { TABLE_PLACES, type TablePlace } from './places.js';
import { rowsOf, type Cell, type PlaceRow } from './rows.js';
import { survey, type Learned, type Looker, type Survey } from './survey.js';
import type { Sought } from './subject.js';
import { answersIn } from './write-erased.js';

export interface Holdings extends Looker {
  readonly disk: OwnDisk;
  readonly files: Files;
  readonly flows: Flows;
}

export interface Held {
  readonly place: string;
  /** Table, folder or service. */
  readonly where: string;
  readonly key: readonly string[];
  readonly value: Readonly<Record<string, unknown>>;
}

/** Read by `answersIn`. The survey reads them as tables, too. */
const ANSWERS = new Set(['answer_body', 'answer_bytes']);

export const OTHER_TABLES: readonly TablePlace[] = TABLE_PLACES.filter(({ table }) => !ANSWERS.has(table));

/** `before`: what an unfinished erasure has learned. */
export async function look(
  holdings: Holdings,
  sought: Sought,
  before: Partial<Learned> | null,
): Promise<{ readonly known: Survey; readonly runs: readonly FlowRun[]; readonly schedules: readonly FlowSchedule[] }> {
  const { disk, flows } = holdings;
  const readMore = async (onText: (text: string) => void): Promise<void> => {
    await disk.readTexts(onText);
    for await (const { texts } of flows.runs()) for (const text of texts) onText(text);
    for await (const { texts } of flows.schedules()) for (const text of texts) onText(text);
  };
  const known = await survey(holdings, sought, { readMore, before });
  // Reads all flows a second time: the names are known only now, and a namespace does not fit into memory.
  const [runs, schedules]: [FlowRun[], FlowSchedule[]] = [[], []];
  for await (const run of flows.runs()) if (isAbout(run.texts, sought, known)) runs.push(run);
  for await (const schedule of flows.schedules()) if (isAbout(schedule.texts, sought, known)) schedules.push(schedule);
  return { known, runs, schedules };
}

function isAbout(texts: readonly string[], sought: Sought, known: Survey): boolean {
  const isOfCase = known.cases.size > 0 && texts.some((text) => casesIn(text).some((cnj) => known.cases.has(cnj)));
  return texts.some(
    (text) =>
      anonymise(text, sought, known, { isAbout: isOfCase }).changes > 0 ||
      known.learned.idTokens.some((token) => text.includes(token)),
  );
}

/** Yields everything that is held, also what only an unfinished erasure knows of. Bytes that are no text are base64. */
export async function* held(holdings: Holdings, sought: Sought): AsyncGenerator<Held> {
  const { db, disk, files } = holdings;
  const { known, runs, schedules } = await look(holdings, sought, await learnedBefore(db, sought));
  for await (const answer of answersIn(db)) {
    if (judgeAnswer(answer, sought, known) === undefined) continue;
    yield { place: 'answers', where: 'answer_body', key: [answer.sha256], value: { bytes: readable(answer.bytes) } };
  }
  for (const place of OTHER_TABLES) {
    for await (const row of rowsOf(db, place)) {
      if (judgeRow(place, row, sought, known).kind === 'stays') continue;
      yield { place: place.place, where: place.table, key: row.key, value: valueOf(place, row) };
    }
  }
  for (const sha256 of known.learned.files) {
    const where = files.nameOf(sha256);
    const file = await files.open(where);
    if (file !== undefined) {
      yield { place: 'files', where, key: [sha256], value: { bytes: readable(await buffer(file)) } };
    }
  }
  for (const [place, texts] of Object.entries(await ownTexts(disk, sought, known))) {
    for (const [at, text] of texts.entries()) yield { place, where: 'own disk', key: [String(at)], value: { text } };
  }
  for (const { workflowId, runId, type, isRunning, texts } of runs) {
    yield { place: 'flows', where: 'Temporal', key: [workflowId, runId], value: { type, isRunning, texts } };
  }
  for (const { name, texts } of schedules) {
    yield { place: 'schedules', where: 'Temporal', key: [name], value: { texts } };
  }
}

async function ownTexts(disk: OwnDisk, sought: Sought, known: Survey): Promise<Record<'spool' | 'journal', string[]>> {
  const found: Record<'spool' | 'journal', string[]> = { spool: [], journal: [] };
  await disk.clean(sought, known, { write: false, onFound: (place, text) => found[place].push(text) });
  return found;
}

function valueOf(place: TablePlace, { cells }: PlaceRow): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(cells).map(([name, cell]) => [name, exported(cell, place.columns[name] === 'json')]),
  );
}

function exported(cell: Cell, isJson: boolean): unknown {
  if (Buffer.isBuffer(cell)) return readable(cell);
  return isJson && typeof cell === 'string' ? (JSON.parse(cell) as unknown) : cell;
}

/** Text if possible: people who ask for their data can read that. */
function readable(bytes: Buffer): Readonly<Record<string, string>> {
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString('base64') };
}
