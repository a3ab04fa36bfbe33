/** JSON of a caller that would not arrive as it was written. Pure. */
import { shownName } from '../../contract/values/index.js';
import { problem } from './members.js';

interface Inexact {
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * Why this input, once parsed, must not be sent on: a whole number that JavaScript has rounded would name another monitor or
 * publication, and an answer that repeats a member `__proto__` cannot be read.
 */
export function exactProblem(input: unknown): string | undefined {
  const found = findInexact(input, []);
  if (found === undefined) return undefined;
  const name = found.path.map(shownName).join('.');
  return typeof found.value === 'number'
    ? problem(name, `must be text: a number is exact only up to ${Number.MAX_SAFE_INTEGER}`, found.value).message
    : problem(name, 'is a name that cannot be sent; use another').message;
}

function findInexact(value: unknown, path: readonly string[]): Inexact | undefined {
  if (typeof value === 'number') {
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? { path, value } : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const inside = [...path, name];
    const found = name === '__proto__' ? { path: inside, value: undefined } : findInexact(member, inside);
    if (found !== undefined) return found;
  }
  return undefined;
}
