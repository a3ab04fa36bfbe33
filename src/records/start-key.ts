/** The key by which a repeated start finds the first one: the caller's own key, or else the first run. Pure. */
import { spellingsOfKey, type TokenOf } from '../contract/values/index.js';

/** Prefix of a first run's id in the column `once`: the caller's own key has no line break. */
export const RUN_KEY = 'run\n';

/** `once`, or the first run if there is none. */
export type StartKey = string | { readonly firstRunId: string };

export function keyOfStart(start: StartKey): string {
  return typeof start === 'string' ? start : `${RUN_KEY}${start.firstRunId}`;
}

/** The key of a start, and what an erasure may have left of the caller's own. */
export function spellingsOfStart(token: TokenOf, start: StartKey): readonly string[] {
  return typeof start === 'string' ? spellingsOfKey(token, start) : [keyOfStart(start)];
}
