/** JSON values and tolerant look-ups in them. Pure. */

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
/** An object of JSON values. */
export type JsonObject = { readonly [key: string]: Json };

/** True for an object that is not a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True when `value` is nested at most `depth` levels deep. Check before recursing: deep JSON overflows even `JSON.stringify`. */
export function isWithinDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isWithinDepth(member, depth - 1));
}

/** Follows a path, dotted or in its parts, through own members only; undefined when any step is missing. */
export function atPath(value: unknown, path: string | readonly string[]): unknown {
  let current: unknown = value;
  for (const key of typeof path === 'string' ? path.split('.') : path) {
    if (!isJsonObject(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

/** The first of `paths` at which `pick` finds something. */
export function firstAt<T>(
  value: unknown,
  paths: readonly string[],
  pick: (found: unknown) => T | undefined,
): T | undefined {
  for (const path of paths) {
    const picked = pick(atPath(value, path));
    if (picked !== undefined) return picked;
  }
  return undefined;
}

/** Text of a non-empty string or a finite number; undefined otherwise. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

/** `data_ultima_verificacao` → `dataUltimaVerificacao`: some services spell whole records this way. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}
