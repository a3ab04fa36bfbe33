/** Decides what an erasure does with one row or one answer. Pure. */
import { anonymise, erasedBody, type HowTo } from './anonymise.js';
import { changeBytes, changeCell, type Cell, type PlaceRow } from './rows.js';
import { caseOf, isAboutSubject, type Survey } from './survey.js';
import type { TablePlace } from './places.js';
import type { Sought } from './subject.js';

export type Verdict =
  | { readonly kind: 'stays' }
  | { readonly kind: 'goes' }
  /** Columns with their new values. */
  | { readonly kind: 'changes'; readonly cells: Readonly<Record<string, Cell>> };

/** Columns that say how a charge was decided: only the number is taken out. */
const KEPT_OBJECTS = new Set(['evidence', 'settlement']);

/** The caller's own key: a later start with it still finds what it has paid for. */
const KEY = 'once';

export function judgeRow(place: TablePlace, row: PlaceRow, sought: Sought, known: Survey): Verdict {
  if (isAboutSubject(place, row, sought, known.sets)) return { kind: 'goes' };
  const isAbout = known.cases.has(caseOf(row) ?? '');
  const cells: Record<string, Cell> = {};
  for (const [name, cell] of Object.entries(row.cells)) {
    const how: HowTo = { isAbout, objects: KEPT_OBJECTS.has(name) ? 'keep' : 'drop' };
    let changes = 0;
    const changed = changeCell(cell, (text) => {
      const clean = anonymise(text, sought, known, how);
      changes += clean.changes;
      const rest = replaceTokens(clean.text, known, sought, () => (changes += 1));
      return name === KEY && rest !== text ? sought.eraseKey(text, rest) : rest;
    });
    if (changes > 0) cells[name] = changed;
  }
  if (Object.keys(cells).length === 0) return { kind: 'stays' };
  return place.erase === 'delete' ? { kind: 'goes' } : { kind: 'changes', cells };
}

/** What is left of the answer; undefined if nothing of it is about the subject. */
export function judgeAnswer(
  answer: { readonly sha256: string; readonly bytes: Buffer },
  sought: Sought,
  known: Survey,
): Buffer | undefined {
  const erased = Buffer.from(erasedBody(sought));
  if (known.wholeAnswers.has(answer.sha256)) return answer.bytes.equals(erased) ? undefined : erased;
  const isAbout = known.caseAnswers.has(answer.sha256);
  const changed = changeBytes(answer.bytes, (text) => anonymise(text, sought, known, { isAbout }).text);
  return changed === answer.bytes ? undefined : changed;
}

/** Replaces tokens of the case in ids: a person with the number and the id key could still find the case by them. */
function replaceTokens(
  text: string,
  { learned: { idTokens } }: Survey,
  { mark }: Sought,
  onChange: () => void,
): string {
  let result = text;
  for (const token of idTokens) {
    if (!result.includes(token)) continue;
    result = result.replaceAll(token, mark);
    onChange();
  }
  return result;
}
