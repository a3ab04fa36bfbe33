/**
 * Limits the looks that charged calls make themselves to their share of the account's `pollsPerMinute`, for all workers together.
 * One process at a time has a turn, and with it all looks of that time.
 */
import type { AccountConfig } from '../config/index.js';
import { MINUTE_MS } from '../contract/values/index.js';
import { takeTurn, type Database } from '../store/index.js';
import { looksPerMinute } from './charged-worker-options.js';
import { shareLook } from './share-looks.js';

const SECOND_MS = 1_000;
/** The database counts a turn from a little later than the caller does: without this, the next request would come too early. */
const LATER_MS = 50;

/** May a charged call look now? Each true is one look; unused looks of a turn are lost. */
export function createLookTurns({
  db,
  clock,
  accounts,
}: {
  readonly db: Database;
  readonly clock: { monotonicMs(): number };
  readonly accounts: Readonly<Record<string, Pick<AccountConfig, 'pollsPerMinute'>>>;
}): (account: string) => Promise<boolean> {
  const perMinute = (account: string): number => looksPerMinute(accounts[account]?.pollsPerMinute ?? 0);
  const looksOf = (account: string): number => Math.ceil((perMinute(account) * SECOND_MS) / MINUTE_MS);
  const spanMs = (account: string): number => (looksOf(account) * MINUTE_MS) / perMinute(account);
  const turnOf = shareLook(
    async (account) => ({ left: (await takeTurn(db, `looks of ${account}`, spanMs(account))) ? looksOf(account) : 0 }),
    clock,
    (account) => spanMs(account) + LATER_MS,
  );
  return async (account) => {
    if (perMinute(account) === 0) return false;
    const turn = await turnOf(account);
    if (turn.left === 0) return false;
    turn.left -= 1;
    return true;
  };
}
