/** Numbers of the cases of this proof. Pure. */
import { caseOf } from '../plan.js';

/** A flow about several cases uses numbers far above the others'. */
const FURTHER = 1_000_000;

export function cnjOf(n: number, place = 0): string {
  return caseOf(n + place * FURTHER);
}
