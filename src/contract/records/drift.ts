/**
 * What a reader could not map: names of members and kinds of problem, never content, so that drift may be counted and
 * logged. No record is dropped because of it.
 */
import { isJsonObject, type JsonObject } from '../json.js';
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

/** Every object in `value`, itself included, in no particular order; at most `limit`. Not recursive, so that deep nesting cannot overflow the stack. */
export function* objectsIn(value: unknown, limit: number): Generator<JsonObject> {
  const waiting: unknown[] = [value];
  let left = limit;
  while (waiting.length > 0 && left > 0) {
    const current = waiting.pop();
    if (Array.isArray(current)) {
      for (const item of current as unknown[]) waiting.push(item);
    } else if (isJsonObject(current)) {
      left -= 1;
      yield current;
      for (const member of Object.values(current)) if (typeof member === 'object') waiting.push(member);
    }
  }
}
