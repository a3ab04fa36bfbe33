/** Valid case numbers for tests: one per call, never a persona of the sandbox. */
import { partiesOf } from '../../sandbox/cases/cover.js';
import { lawyerOf } from '../../sandbox/cases/people.js';
import { traitsOf } from '../../sandbox/cases/traits.js';
import { caseNumberOf } from '../../soak/identifiers.js';

/** Test files share one namespace: a random start and a random court keep their workflow ids apart. */
let next = 1_500_000 + Math.floor(Math.random() * 8_000_000);
const unit = String(1_000 + Math.floor(Math.random() * 9_000));

export function newCase(): string {
  next += 1;
  return caseNumberOf(next, unit);
}

/** A case with documents: with the sandbox's default seed, one ordinary case in six has none. */
export function newCaseWithDocuments(): string {
  let cnj = newCase();
  while (traitsOf('tramita', cnj).documents === 0) cnj = newCase();
  return cnj;
}

/** Two cases in which no two people have the same name, with the sandbox's default seed. The sandbox has only 252 names. */
export function newCasesWithoutNamesakes(): readonly [string, string] {
  const names = (cnj: string): string[] => {
    const { active, passive } = partiesOf('tramita', cnj);
    return [active.nome, passive.nome, lawyerOf('tramita', 'case lawyer', cnj).nome];
  };
  for (;;) {
    const cases = [newCase(), newCase()] as const;
    const all = cases.flatMap(names);
    if (new Set(all).size === all.length) return cases;
  }
}
