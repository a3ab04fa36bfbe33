/**
 * Settles answers that the database could not take when they came. The spool is a local directory: with several worker
 * machines only the one that made the call has the file, so the others wait until that machine's janitor has settled the row.
 */
import { nameOfError } from '../../contract/values/index.js';
import { settleSpooled } from '../../ledger/index.js';
import type { CallOutcome, SettleFromSpoolInput } from '../../protocol/index.js';
import { machineNowMs, type LedgerDeps, type ServiceDeps, type WitnessDeps } from '../deps.js';
import { rememberSettled, type RememberDeps } from '../remember/remember-answer.js';
import { storedOutcome, withoutWebhook, type OutcomeDeps } from './stored-outcome.js';
import { notYet } from '../to-failure.js';

const AGAIN_AFTER_MS = 2_000;
/** No commit of an intent can be in flight for so long: statement timeouts are seconds. */
const COMMIT_IN_FLIGHT_MS = 5 * 60_000;
/** The call itself settles younger answers. Longer than its longest single try to settle (7 s). */
const JANITOR_AFTER_MS = 15_000;

type Deps = Pick<ServiceDeps, 'clock' | 'log'> &
  Pick<LedgerDeps, 'ledger' | 'wake'> &
  Pick<WitnessDeps, 'spool' | 'journal'>;

export async function storeSpooledAnswer(
  deps: Deps & RememberDeps & OutcomeDeps,
  input: SettleFromSpoolInput,
): Promise<CallOutcome> {
  await settleFromSpoolIfHere(deps, input.intentId);
  const intent = await deps.ledger.find(input.intentId);
  if (intent === undefined) return lostRow(input.intentId);
  if (intent.state === 'open') throw notYet('the answer waits in the spool of another worker', AGAIN_AFTER_MS);
  await rememberSettled(deps, { intent, params: input.params });
  return storedOutcome(deps, intent, withoutWebhook(input));
}

/** The ledger has forgotten the row: the flow asks the resolver, which writes it again. */
function lostRow(intentId: string): CallOutcome {
  const reason = 'the ledger has lost the row of this call';
  return { outcome: 'UNKNOWN', intentId, reason, charged: null, reused: false, settled: true, ledgerLost: true };
}

/**
 * Settles the row if this machine's spool has its answer; returns whether it did. A row that the ledger has lost is written
 * again from the journal.
 */
export async function settleFromSpoolIfHere(deps: Deps, intentId: string): Promise<boolean> {
  const { ledger, spool, journal } = deps;
  const spooled = await settleSpooled(spool, intentId, (settlement) =>
    ledger.settle(intentId, settlement, { source: 'call', callIfLost: () => journal.find(intentId) }),
  );
  if (spooled.kind === 'settled') await deps.wake(spooled.settled.wakes);
  if (spooled.kind === 'corrupt') {
    const fields = { intentId, file: spooled.setAside };
    deps.log.error(fields, 'a spooled answer is damaged; it was set aside for inspection');
  }
  return spooled.kind === 'settled';
}

/**
 * The janitor's round: settles every answer in the spool that is too old to belong to a running call (its worker died between
 * spool and settlement, or the database was away). A failure with one answer does not stop the others. `beforeFirst` runs once,
 * before the first answer; if it fails, none is settled. Returns how many were settled.
 */
export async function settleWholeSpool(
  deps: Deps,
  beforeFirst: () => Promise<unknown> = () => Promise.resolve(),
): Promise<number> {
  let prepared: Promise<unknown> | undefined;
  let settled = 0;
  for (const intentId of await deps.spool.list()) {
    try {
      // An answer from far in the future is old too: the clock was set back since.
      if (Math.abs(await ageOf(deps, intentId)) < JANITOR_AFTER_MS) continue;
      await (prepared ??= beforeFirst());
      const isLost = (await deps.ledger.find(intentId)) === undefined;
      if (isLost && (await deps.journal.find(intentId)) === undefined) {
        await handleOrphan(deps, intentId);
        continue;
      }
      if (await settleFromSpoolIfHere(deps, intentId)) settled += 1;
    } catch (error) {
      deps.log.warn({ intentId, error: nameOfError(error) }, 'spooled answer not settled yet');
    }
  }
  return settled;
}

/**
 * An answer without a ledger row. "Not sent" needs no row, and is removed once no commit of its intent can be in flight.
 * Anything else may have been paid: the database has lost the row, or this spool belongs to another database, so a person must
 * look.
 */
async function handleOrphan(deps: Deps, intentId: string): Promise<void> {
  const spooled = await deps.spool.read(intentId);
  if (spooled.kind !== 'found') return;
  if (spooled.settlement.state !== 'not_sent') {
    deps.log.error(
      { intentId, state: spooled.settlement.state },
      'a spooled answer has no ledger row: is this the right database?',
    );
    return;
  }
  if ((await ageOf(deps, intentId)) > COMMIT_IN_FLIGHT_MS) await deps.spool.remove(intentId);
}

async function ageOf({ clock, spool }: Deps, intentId: string): Promise<number> {
  return machineNowMs(clock) - (await spool.writtenAtMs(intentId));
}
