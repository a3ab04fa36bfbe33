/**
 * The same text for equal values: members sorted by name, lists sorted by their own canonical text, undefined members left
 * out. For hashes only; lists lose their order on purpose (`oabs: [a, b]` asks for the same as `[b, a]`). Pure.
 */

/** Throws for what JSON cannot carry (functions, NaN, bigint, top-level undefined). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    const texts = value.map((entry) => canonicalJson(entry));
    return `[${texts.sort(byCodeUnit).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    const texts = members
      .sort(([left], [right]) => byCodeUnit(left, right))
      .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
    return `{${texts.join(',')}}`;
  }
  if (value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value))
    return JSON.stringify(value);
  throw new Error(
    `tramita: a ${typeof value} cannot be hashed; give strings, finite numbers, booleans, lists or objects`,
  );
}

/** Never by locale: the same input must give the same text on every machine. */
function byCodeUnit(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
