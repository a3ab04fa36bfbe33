/** Valid case numbers for tests: one per call, never a persona of the sandbox. */
import { traitsOf } from '../../sandbox/cases/traits.js';
import { caseNumberOf } from '../../soak/identifiers.js';

/** Files share one namespace: a random start and a random court keep their workflow ids apart. */
let next = 1_500_000 + Math.floor(Math.random() * 8_000_000);
const unit = String(1_000 + Math.floor(Math.random() * 9_000));

export function newCase(): string {
  next += 1;
  return caseNumberOf(next, unit);
}

/** At a sandbox of the default seed, one ordinary case in six has no documents. */
export function newCaseWithDocuments(): string {
  let cnj = newCase();
  while (traitsOf('tramita', cnj).documents === 0) cnj = newCase();
  return cnj;
}
