/**
 * Which statements of one connection have a name, under which the server keeps their plan: planning most of ours costs more than
 * running them. Behind a pooler, which may change the server process, none may have a name (docs/decisions/0062).
 */

/** Names per connection. A statement gets one at its second use. */
const NAMES_AT_MOST = 100;
/** Statements that were used once. */
const SEEN_AT_MOST = 500;

export interface KeptPlans {
  /** The name of a statement; undefined if it is sent without one. */
  nameOf(text: string): string | undefined;
  /** The message succeeded; `pid` is the server process that ran it, if the message asked. */
  arrived(pid?: unknown): void;
  /** The message failed, so the server may not know its new names. True if a name was the reason. */
  failed(error: unknown): boolean;
}

/** `ownPid`: the process id that came when the connection was made. A pooler does not send that of one of its servers. */
export function keepPlans(ownPid: unknown): KeptPlans {
  const names = new Map<string, string>();
  const seen = new Set<string>();
  let isDirect: boolean | undefined;
  let lastNumber = 0;
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
      lastNumber += 1;
      const name = `tramita_${lastNumber}`;
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
 * True if the server refused to run a kept plan: a migration has changed the columns of its result (0A000), or the name is
 * taken (42P05) or unknown (26000). Nothing of the message was committed.
 */
export function isStalePlan(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, routine } = error as { readonly code?: unknown; readonly routine?: unknown };
  return code === '26000' || code === '42P05' || (code === '0A000' && routine === 'RevalidateCachedQuery');
}
