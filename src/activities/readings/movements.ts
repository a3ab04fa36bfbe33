/** One page of a case's movements with its page facts. Texts are cut: the whole is in the stored answer and the records. Pure. */
import { readMovements } from '../../contract/index.js';
import type { MovementResult, MovementsReading } from '../../protocol/index.js';
import { readPageFacts } from './page.js';
import type { ReadableAnswer } from './types.js';

const MAX_TEXT = 1_000;
/** Of the JSON, in UTF-16 units: a page stays below 200 KB at three bytes each. */
const MAX_PAGE = 60_000;

export function readMovementsPage(answer: ReadableAnswer): MovementsReading | undefined {
  const list = readMovements(answer.body);
  const facts = readPageFacts(answer);
  if (list === undefined || facts === undefined) return undefined;
  const movements: MovementResult[] = [];
  let room = MAX_PAGE;
  for (const { id, date, kind, category, text, source, degree } of list.records) {
    const movement = { id, date, kind, category, text: text?.slice(0, MAX_TEXT) ?? null, source, degree };
    room -= JSON.stringify(movement).length;
    if (room < 0) break;
    movements.push(movement);
  }
  return { ...facts, movements, cut: movements.length < list.records.length };
}
