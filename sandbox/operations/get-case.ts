/** GET a case by number: the cover, one record with a source per degree. Sealed cases come masked. */
import { envelope, jsonAnswer } from '../answer.js';
import { buildCover } from '../cases/cover.js';
import { refused } from './reading.js';
import { spell } from './spelling.js';
import type { OperationHandler, View } from './types.js';

export const getCase: OperationHandler = (call, view) => {
  const cnj = call.params['cnj'] ?? '';
  const traits = view.traits(cnj);
  if (!traits.exists) return refused(404, 'CASE_NOT_FOUND', 'The case is not known.');
  const { settings, nowMs } = view;
  const cover = buildCover({ seed: settings.seed, cnj, traits, sealed: isSealed(cnj, view), nowMs });
  // As observed, a full copy in `raw` doubles the size (domain.md 7.2).
  const copy = settings.dialect.records === 'as-observed' ? { ...cover, raw: cover } : cover;
  const data = spell(copy, settings.dialect);
  return {
    kind: 'charged',
    price: settings.prices.getCase,
    cnj,
    answer: (paid) => jsonAnswer(200, envelope(data, paid, nowMs)),
  };
};

/** Sealed from the start, or since its first refresh ended. */
export function isSealed(cnj: string, view: View): boolean {
  const { sealed } = view.traits(cnj);
  if (sealed !== 'after refresh') return sealed === 'yes';
  return view.worksOf(cnj, 'requestRefresh').some((work) => view.isFinished(work));
}
