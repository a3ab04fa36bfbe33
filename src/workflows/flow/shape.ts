/** Type guards for JSON, composed like the types that they check. Mainly for the state that one run hands to the next. Pure. */
import { isJsonObject } from '../../contract/json.js';

export type Is<T> = (value: unknown) => value is T;

export const isText: Is<string> = (value) => typeof value === 'string';
export const isFlag: Is<boolean> = (value) => typeof value === 'boolean';
export const isTrue: Is<true> = (value) => value === true;
export const isNumber: Is<number> = (value) => typeof value === 'number';
export const isNull: Is<null> = (value) => value === null;
export const isCount = where(isNumber, (value) => Number.isSafeInteger(value) && value >= 0);

/** The same shape with an additional rule. */
export function where<T>(is: Is<T>, holds: (value: T) => boolean): Is<T> {
  return (value): value is T => is(value) && holds(value);
}

export function only<const T extends string>(...texts: readonly T[]): Is<T> {
  return (value): value is T => texts.some((text) => text === value);
}

export function either<A, B>(isA: Is<A>, isB: Is<B>): Is<A | B> {
  return (value): value is A | B => isA(value) || isB(value);
}

export function optional<T>(is: Is<T>): Is<T | undefined> {
  return (value): value is T | undefined => value === undefined || is(value);
}

export function listOf<T>(is: Is<T>): Is<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(is);
}

/** Additional members are allowed. */
export function shapeOf<T extends object>(members: { readonly [Name in keyof T]-?: Is<T[Name]> }): Is<T> {
  const checks = Object.entries<(value: unknown) => boolean>(members);
  return (value): value is T => isJsonObject(value) && checks.every(([name, is]) => is(value[name]));
}
