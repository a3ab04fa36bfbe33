/**
 * Charges of reads that should have been free. A database that takes no writes must not make such a read be repeated: until
 * its row can be written, the charge is kept here, and bars its operation as the row would.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { instant, withLocks, type Database } from '../store/index.js';
import { insertIntent } from './insert-intent.js';
import { stepLock } from './lock-names.js';
import { buildShut } from './new-intent.js';
import { findIntent } from './read-intents.js';
import type { Intent, Ledger, UnexpectedCharge } from './types.js';

/** A read that was seen charging is not made again for so long. */
const BARRED_FOR_MS = 30 * 86_400_000;

/** Under one id, however often it is tried: a commit whose answer was lost has written it already. */
type DatedCharge = UnexpectedCharge & { readonly nowMs: number; readonly intentId: string };

export function createUnexpectedCharges(
  db: Database,
  clock: () => number,
): Pick<Ledger, 'isBarred' | 'bookUnexpected'> {
  const unbooked = new Set<DatedCharge>();
  let booking: Promise<void> = Promise.resolve();

  /** One after the other: two at once would write two rows. A charge bars its operation until its row does. */
  const bookAll = (): Promise<void> => {
    booking = booking.then(async () => {
      for (const charge of unbooked) {
        try {
          await insertCharge(db, charge);
          unbooked.delete(charge);
        } catch {
          // Kept, and tried again by the next read.
        }
      }
    });
    return booking;
  };
  return {
    bookUnexpected: (charge) => {
      unbooked.add({ ...charge, nowMs: clock(), intentId: randomUUID() });
      return bookAll();
    },
    isBarred: async (account, operation) => {
      const isUnbooked = [...unbooked].some((charge) => charge.account === account && charge.operation === operation);
      if (unbooked.size > 0) await bookAll();
      return isUnbooked || (await hasCharged(db, { account, operation, sinceMs: clock() - BARRED_FOR_MS }));
    },
  };
}

async function hasCharged(
  db: Database,
  { account, operation, sinceMs }: { readonly account: string; readonly operation: string; readonly sinceMs: number },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from tramita.intent
    where account = ${account} and operation = ${operation} and charged > 0 and joined is null
      and opened_at > ${instant(sinceMs)} limit 1`.execute(db);
  return rows.length > 0;
}

/** A row of its own: the charge is known, and everybody who sums sees it. */
function insertCharge(db: Database, charge: DatedCharge): Promise<void> {
  const { workflowId, firstRunId, workflowType, account, operation, nowMs, intentId } = charge;
  const step = `free/${operation}`;
  return withLocks(db, [stepLock({ workflowId, firstRunId, step, ordinal: 0 })], async (trx) => {
    if ((await findIntent(trx, intentId)) !== undefined) return;
    const { rows } = await sql<{ readonly ordinal: number }>`
      select coalesce(max(ordinal), 0) + 1 as ordinal from tramita.intent
      where workflow_id = ${workflowId} and first_run_id = ${firstRunId} and step = ${step}`.execute(trx);
    const key = { workflowId, firstRunId, step, ordinal: rows[0]?.ordinal ?? 1, account, operation };
    const row = buildShut(key, { intentId, subject: '', nowMs });
    const intent: Intent = {
      ...row.intent,
      workflowType,
      state: 'done',
      charged: charge.charged,
      amountSource: 'told',
      balanceAfter: charge.balanceAfter,
      metaRequestId: charge.metaRequestId,
      searchLogId: charge.searchLogId,
      httpStatus: charge.httpStatus,
      reason: 'unexpected charge: this read should be free',
      evidence: { unexpected: true },
    };
    await insertIntent(trx, { row: { ...row, intent }, nowMs, eventsSinceMs: nowMs });
  });
}
