/** The worker's part against a ledger that forgets: the keeper that compares journal and ledger, and the rotation of the journal. */
import { DAY_MS } from '../contract/values/index.js';
import { machineNowMs, type ActivityDeps } from '../activities/index.js';
import { areFinal, createLifeKeeper, type LifeKeeper } from '../ledger/index.js';
import type { Database } from '../store/index.js';

interface KeeperParts {
  readonly db: Database;
  readonly deps: Pick<ActivityDeps, 'ledger' | 'journal' | 'spool' | 'life' | 'clock' | 'log' | 'wake'>;
}

/** Limit for kept answers of any age: a disk is finite. */
const ANSWERS_AT_MOST_BYTES = 10_000_000_000;

export function createLedgerKeeper({ db, deps }: KeeperParts): LifeKeeper {
  const { ledger, journal, spool, life, clock, log, wake } = deps;
  return createLifeKeeper({
    db,
    ledger,
    journal,
    spool,
    memory: life,
    clock: () => clock.nowMs(),
    wake,
    onNews: (level, text, figures) => log[level](figures, text),
  });
}

/** Drops what is older than `days`, within which a backup may be restored. What is not final stays. */
export async function rotateJournal({ db, deps, days }: KeeperParts & { readonly days: number }): Promise<void> {
  const olderThanMs = machineNowMs(deps.clock) - days * DAY_MS;
  await deps.journal.rotate(olderThanMs, (ids) => areFinal(db, ids));
  const { droppedEarly } = await deps.spool.rotate({ olderThanMs, maxBytes: ANSWERS_AT_MOST_BYTES });
  if (droppedEarly > 0) {
    deps.log.warn(
      { days: droppedEarly },
      'kept answers take more than 10 GB: days younger than journalDays were dropped and could not be restored',
    );
  }
}
