/** GET a case by number: the cover, one record with a source per degree. Sealed cases come masked. */
import { buildCover } from '../cases/cover.js';
import type { View } from './types.js';
import { answeredRecord, ofCase } from './verdicts.js';

export const getCase = ofCase(({ cnj, traits }, view) => {
  const { settings, nowMs } = view;
  const cover = buildCover({ seed: settings.seed, cnj, traits, sealed: isSealed(cnj, view), nowMs });
  // As observed, the `raw` member holds a full copy and doubles the size.
  const copy = settings.dialect.records === 'as-observed' ? { ...cover, raw: cover } : cover;
  return answeredRecord(copy, view);
});

/** Sealed from the start, or since its first refresh ended. */
export function isSealed(cnj: string, view: View): boolean {
  const { sealed } = view.traits(cnj);
  if (sealed !== 'after refresh') return sealed === 'yes';
  return view.worksOf(cnj, 'requestRefresh').some((work) => view.isFinished(work));
}
