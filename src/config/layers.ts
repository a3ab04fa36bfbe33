/** Putting layers and lists together: a layer that says nothing (`undefined`) drops out, one that says `false` or `0` stays. Pure. */

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

export function dropUndefined<T extends object>(layer: T): Partial<Defined<T>> {
  return Object.fromEntries(Object.entries(layer).filter(([, value]) => value !== undefined)) as Partial<Defined<T>>;
}

export function firstGiven<T>(...values: readonly (T | null | undefined)[]): T | undefined {
  return values.find((value) => value !== undefined && value !== null) ?? undefined;
}

/** The lines, where something holds. */
export function when(holds: boolean, ...lines: readonly string[]): readonly string[] {
  return holds ? lines : [];
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
