/**
 * Looks that charged calls make themselves, within their part of the account's `pollsPerMinute`, of all workers together: one
 * process at a time has a turn, with the looks of that time.
 */
import type { AccountConfig } from '../config/index.js';
import { takeTurn, type Database } from '../store/index.js';
import { looksPerMinute } from './charged-worker-options.js';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** The database counts a turn from a little later than who asked for it: asked again too early, it would still be taken. */
const LATER_MS = 50;

interface Turn {
  /** What is left of it. */
  looks: number;
}

/** True for one look. What is not used of a turn is lost. */
export function createLookTurns({
  db,
  clock,
  accounts,
}: {
  readonly db: Database;
  readonly clock: { monotonicMs(): number };
  readonly accounts: Readonly<Record<string, Pick<AccountConfig, 'pollsPerMinute'>>>;
}): (account: string) => Promise<boolean> {
  const turns = new Map<string, { readonly turn: Promise<Turn>; readonly untilMs: number }>();
  const turnOf = (account: string, perMinute: number): Promise<Turn> => {
    const known = turns.get(account);
    if (known !== undefined && clock.monotonicMs() < known.untilMs) return known.turn;
    const looks = Math.ceil((perMinute * SECOND_MS) / MINUTE_MS);
    const forMs = (looks * MINUTE_MS) / perMinute;
    const turn = takeTurn(db, `looks of ${account}`, forMs).then((isOurs) => ({ looks: isOurs ? looks : 0 }));
    turns.set(account, { turn, untilMs: clock.monotonicMs() + forMs + LATER_MS });
    return turn;
  };
  return async (account) => {
    const perMinute = looksPerMinute(accounts[account]?.pollsPerMinute ?? 0);
    if (perMinute === 0) return false;
    const turn = await turnOf(account, perMinute);
    if (turn.looks === 0) return false;
    turn.looks -= 1;
    return true;
  };
}
