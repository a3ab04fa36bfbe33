/** Numbers of the cases of this proof. Pure. */
import { caseNumberOf } from '../identifiers.js';

const FIRST = 2_000_000;
/** A flow about several cases uses numbers far above the others'. */
const FURTHER = 1_000_000;

export function cnjOf(n: number, place = 0): string {
  return caseNumberOf(FIRST + n + place * FURTHER);
}
