/** Helpers to combine layers and lists. Pure. */

/** The lines if the condition holds, else none. */
export function when(condition: boolean, ...lines: readonly string[]): readonly string[] {
  return condition ? lines : [];
}

/** A record that answers only for its own names: `accounts['constructor']` is undefined, not a function. */
export function ownRecord<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  const record = Object.create(null) as Record<string, T>;
  for (const [name, value] of entries) record[name] = value;
  return record;
}

/** Freezes an object and everything in it, so that no code can change a setting that others have read. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
