/** Case number + seed + corpus → how the case behaves: its persona, else an ordinary case with 0 to 5 documents. Pure. */
import { deriveInteger } from '../derive.js';
import { isInCorpus, type CorpusName } from './corpus.js';
import { ORDINARY, PERSONAS, type CaseTraits } from './personas.js';

const BY_CNJ: ReadonlyMap<string, CaseTraits> = new Map(PERSONAS.map(({ cnj, traits }) => [cnj, traits]));

/** One ordinary case in four was refreshed yesterday, so that flows meet a stale success without a persona. */
const YESTERDAY_SHARE = 4;

export function traitsOf(seed: string, cnj: string, corpus: CorpusName = 'mass'): CaseTraits {
  return (
    BY_CNJ.get(cnj) ?? {
      ...ORDINARY,
      exists: isInCorpus({ seed, corpus }, cnj),
      documents: deriveInteger(seed, 6, 'documents', cnj),
      refreshedYesterday: deriveInteger(seed, YESTERDAY_SHARE, 'yesterday', cnj) === 0,
    }
  );
}
