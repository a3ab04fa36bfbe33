/**
 * What came back of a call → disk, then the ledger, then the flows that wait for the row. After this returns, a crash loses
 * nothing: either the row is settled, or the spool has the answer and a free activity or the janitor settles it.
 */
import { present } from '../../contract/index.js';
import {
  isIntentMissing,
  type Intent,
  type JournalEntry,
  type KnownRow,
  type Settled,
  type Settlement,
} from '../../ledger/index.js';
import type { LedgerDeps, ServiceDeps, WitnessDeps } from '../deps.js';
import { nameOfError } from '../to-failure.js';

export interface Answered {
  readonly intent: Intent;
  /** The row as this attempt has written it. */
  readonly row: KnownRow | undefined;
  /** Its row as it was opened, should the ledger have lost it. */
  readonly call: JournalEntry;
  readonly settlement: Settlement;
  readonly age: () => number;
  readonly untilAgeMs: number;
}

const AGAIN_AFTER_MS = 500;

type Deps = Pick<ServiceDeps, 'log'> & Pick<LedgerDeps, 'ledger' | 'wake'> & Pick<WitnessDeps, 'spool'>;

/** Undefined when the database stayed away: then the answer is in the spool. */
export async function settleAnswer(deps: Deps, answered: Answered): Promise<Settled | undefined> {
  const { intent, settlement } = answered;
  const spooled = await spoolFirst(deps, answered);
  let { intentId } = intent;
  for (;;) {
    try {
      const settled = await deps.ledger.settle(intentId, settlement, { row: answered.row });
      if (spooled) await deps.spool.keep(intent.intentId).catch(() => undefined);
      if (!settled.applied) {
        deps.log.error(
          { intentId: intent.intentId, state: settled.intent.state },
          'late answer of a decided charge kept as a conflict',
        );
      }
      await deps.wake(settled.intent, settled.wake);
      return settled;
    } catch (error) {
      if (isIntentMissing(error)) intentId = await broughtBack(deps, answered.call);
      deps.log.warn({ intentId: intent.intentId, error: nameOfError(error) }, 'answer not settled yet');
      if (answered.age() > answered.untilAgeMs) return undefined;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
    }
  }
}

/** The database has forgotten the call while it was on its way: its row is written again. */
async function broughtBack(deps: Deps, call: JournalEntry): Promise<string> {
  try {
    return (await deps.ledger.restore({ call, witness: 'journal' })).intent.intentId;
  } catch {
    return call.intentId;
  }
}

/** A full disk must not lose a paid answer: without the spool the database is still tried. */
async function spoolFirst(deps: Deps, { intent, settlement }: Answered): Promise<boolean> {
  try {
    const { body, ...facts } = settlement;
    await deps.spool.write(
      intent.intentId,
      { ...facts, ...present({ contentType: body?.contentType }) },
      body?.bytes ?? null,
    );
    return true;
  } catch (error) {
    deps.log.error(
      { intentId: intent.intentId, error: nameOfError(error) },
      'answer not spooled: check the files directory',
    );
    return false;
  }
}
