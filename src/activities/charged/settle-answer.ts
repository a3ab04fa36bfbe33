/**
 * Writes the answer of a call to disk and ledger at once (docs/decisions/0069), then wakes the flows that wait for the row.
 * After this returns, a crash loses nothing: either the row is settled, or the spool has the answer and a free activity or the
 * janitor settles it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { present } from '../../contract/index.js';
import { nameOfError } from '../../contract/values/index.js';
import type { Intent, JournalEntry, KnownRow, Settled, SettledBy, Settlement } from '../../ledger/index.js';
import type { LedgerDeps, ServiceDeps, WitnessDeps } from '../deps.js';

export interface Answered {
  readonly intent: Intent;
  /** The row as this attempt wrote it. */
  readonly row: KnownRow | undefined;
  /** The row as it was opened, to write it again if the ledger has lost it. */
  readonly call: JournalEntry;
  readonly settlement: Settlement;
  /** Facts of the answer, written in the same transaction; if that fails, the answer is settled without them. */
  readonly facts: SettledBy['beside'];
  readonly age: () => number;
  readonly untilAgeMs: number;
}

export type SettledAnswer = Settled & { readonly hasFacts: boolean };

const AGAIN_AFTER_MS = 500;

type Deps = Pick<ServiceDeps, 'log'> & Pick<LedgerDeps, 'ledger' | 'wake'> & Pick<WitnessDeps, 'spool'>;

/** Also says whether the facts were written. Undefined if the database stayed away: then the answer is in the spool. */
export async function settleAnswer(deps: Deps, answered: Answered): Promise<SettledAnswer | undefined> {
  const settling = settle(deps, answered);
  const [spooled, settled] = await Promise.all([spool(deps, answered, settling), settling]);
  if (settled === undefined) return undefined;
  const { intentId } = answered.intent;
  if (spooled) await deps.spool.keep(intentId).catch(() => undefined);
  if (!settled.applied) {
    deps.log.error(
      { intentId, state: settled.intent.state },
      'a late answer contradicts a decision; it was kept as a conflict',
    );
  }
  await deps.wake(settled.wakes);
  return settled;
}

async function settle(deps: Deps, answered: Answered): Promise<SettledAnswer | undefined> {
  const { call, settlement, row } = answered;
  const { intentId } = answered.intent;
  let beside = answered.facts;
  for (;;) {
    try {
      // The database may have lost the row while the call was in flight.
      const by: SettledBy = { source: 'call', row, beside, callIfLost: () => Promise.resolve(call) };
      const settled = await deps.ledger.settle(intentId, settlement, by);
      return { ...settled, hasFacts: beside !== undefined && settled.applied };
    } catch (error) {
      const hadFacts = beside !== undefined;
      beside = undefined;
      deps.log.warn({ intentId, error: nameOfError(error) }, 'answer not settled yet');
      if (answered.age() > answered.untilAgeMs) return undefined;
      // The facts may be the cause: without them it is tried again at once.
      if (!hadFacts) await sleep(AGAIN_AFTER_MS);
    }
  }
}

/** A full disk must not lose a paid answer: writing is retried until it succeeds or settling has ended. */
async function spool(deps: Deps, { intent, settlement }: Answered, settling: Promise<unknown>): Promise<boolean> {
  const { intentId } = intent;
  const { body, ...facts } = settlement;
  const over = settling.then(() => 'over' as const);
  for (;;) {
    try {
      await deps.spool.write(
        intentId,
        { ...facts, ...present({ contentType: body?.contentType }) },
        body?.bytes ?? null,
      );
      return true;
    } catch (error) {
      deps.log.error({ intentId, error: nameOfError(error) }, 'answer not spooled: check the files directory');
    }
    if ((await Promise.race([over, sleep(AGAIN_AFTER_MS)])) === 'over') return false;
  }
}
