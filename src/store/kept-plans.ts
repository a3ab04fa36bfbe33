/**
 * Which statements of one connection keep their plan at the server, under a name: planning costs more than running most of
 * ours. Behind a pooler that gives each transaction another server process none may have a name (docs/decisions/0062).
 */

/** A text has a name from its second use on; at most this many per connection. */
const NAMES_AT_MOST = 100;
/** Texts that were seen once. */
const SEEN_AT_MOST = 500;

export interface KeptPlans {
  /** The name of a statement; undefined where it is to travel only with its text. */
  nameOf(text: string): string | undefined;
  /** The message was run; by the server process `pid`, where it was asked which. */
  arrived(pid?: unknown): void;
  /** The message failed: what it named may not have reached the server. True when the names were the reason. */
  failed(error: unknown): boolean;
}

/** `ownPid`: the process that the server named when the connection was made. A pooler in between names none of its servers. */
export function keepPlans(ownPid: unknown): KeptPlans {
  const names = new Map<string, string>();
  const seen = new Set<string>();
  let isDirect: boolean | undefined;
  let given = 0;
  let unconfirmed: string[] = [];
  return {
    nameOf: (text) => {
      const known = names.get(text);
      if (known !== undefined || isDirect !== true) return known;
      if (!seen.has(text)) {
        if (seen.size >= SEEN_AT_MOST) seen.clear();
        seen.add(text);
        return undefined;
      }
      if (names.size >= NAMES_AT_MOST) return undefined;
      given += 1;
      const name = `tramita_${given}`;
      names.set(text, name);
      unconfirmed.push(text);
      return name;
    },
    arrived: (pid) => {
      unconfirmed = [];
      if (pid === undefined) return;
      isDirect = pid === ownPid && isDirect !== false;
      if (!isDirect) names.clear();
    },
    failed: (error) => {
      for (const text of unconfirmed) names.delete(text);
      unconfirmed = [];
      if (!isStalePlan(error)) return false;
      isDirect = false;
      names.clear();
      return true;
    },
  };
}

/**
 * The server does not run a statement by its kept plan: a migration has changed the columns of its result (0A000), or the
 * name is another's or nobody's (42P05, 26000). Nothing of the message was committed.
 */
export function isStalePlan(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, routine } = error as { readonly code?: unknown; readonly routine?: unknown };
  return code === '26000' || code === '42P05' || (code === '0A000' && routine === 'RevalidateCachedQuery');
}
