/**
 * What a reader could not map: names of members and kinds of problem, never content, so that drift may be counted and
 * logged. No record is dropped because of it.
 */
import type { JsonObject } from '../json.js';
import { mayHoldPersonalNumber } from '../values/index.js';

/** One member of a record that a reader could not map. */
export interface Drift {
  /** Dotted member name; `?` when the name itself is odd, or may be a person's number. */
  readonly member: string;
  /**
   * - `missing`: a key member is absent.
   * - `unreadable`: present, but in no known form.
   * - `conflict`: two spellings of it (snake and camel, two lists) disagree.
   * - `unknown`: an unknown member.
   */
  readonly problem: 'missing' | 'unreadable' | 'conflict' | 'unknown';
}

export function drift(member: string, problem: Drift['problem']): Drift {
  const isName = /^[\w.-]{1,60}$/.test(member) && !mayHoldPersonalNumber(member);
  return { member: isName ? member : '?', problem };
}

/** Members of `record` that are not in `known`. */
export function unknownMembers(record: JsonObject, known: ReadonlySet<string>): Drift[] {
  return Object.keys(record)
    .filter((name) => !known.has(name))
    .map((name) => drift(name, 'unknown'));
}

/** How often each problem was seen, by `member problem`: the drift metric. */
export function countDrift(drifts: readonly Drift[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { member, problem } of drifts) {
    const key = `${member} ${problem}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
