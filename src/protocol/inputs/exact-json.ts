/** What JSON of a caller's own may hold and yet does not travel as it was written. Pure. */
import { shownName } from '../../contract/values/index.js';
import { problem } from './members.js';

interface Odd {
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * What speaks against sending this input on: a whole number that JavaScript has rounded, which would name another monitor or
 * publication, or a member `__proto__`, which no answer that repeats it can be read with. Asked of an input that has been parsed.
 */
export function exactProblem(input: unknown): string | undefined {
  const odd = oddIn(input, []);
  if (odd === undefined) return undefined;
  const name = odd.path.map(shownName).join('.');
  return typeof odd.value === 'number'
    ? problem(name, `must be text: as a number it is kept up to ${Number.MAX_SAFE_INTEGER} only`, odd.value).message
    : problem(name, 'is a name that cannot be sent; use another').message;
}

function oddIn(value: unknown, path: readonly string[]): Odd | undefined {
  if (typeof value === 'number') {
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? { path, value } : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const inside = [...path, name];
    const odd = name === '__proto__' ? { path: inside, value: undefined } : oddIn(member, inside);
    if (odd !== undefined) return odd;
  }
  return undefined;
}
