/** Registrations of lawyers in an input: `"SP:123456"`, one spelling, each once, in order. Pure. */
import { formatOabQuery, parseOab } from '../../contract/values/index.js';
import { problem } from './members.js';

const MAX_OABS = 500;

/** `UF:number` as the service takes them; a number is never shown in a problem. */
export function oabList(members: Record<string, unknown>, member = 'oabs'): readonly string[] {
  const given = members[member];
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_OABS) {
    throw problem(
      member,
      `must be a list of 1 to ${MAX_OABS} registrations like "SP:123456"`,
      Array.isArray(given) ? `${given.length} items` : (given ?? null),
    );
  }
  const oabs = given.map((value: unknown, place) => {
    const read = parseOab(value);
    const name = `${member}[${place}]`;
    if (!read.ok) throw problem(name, read.problem, kindOf(value));
    if (read.oab.sufixo !== undefined) throw problem(name, 'has a suffix: the service takes UF:number only');
    return formatOabQuery(read.oab);
  });
  return [...new Set(oabs)].sort();
}

function kindOf(value: unknown): string {
  return typeof value === 'string' ? `${value.length} characters` : typeof value;
}
