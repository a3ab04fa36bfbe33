/**
 * Charges of reads that should have been free. Such a read must not be repeated while the database takes no writes: until its row
 * is written, the charge is kept in memory and bars its operation.
 */
import { randomUUID } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { present, type Amount } from '../contract/index.js';
import { DAY_MS, freeStep } from '../contract/values/index.js';
import { instant, withLocks, type Database } from '../store/index.js';
import { nextFreeRow } from './free-row.js';
import { insertIntent } from './insert-intent.js';
import type { Intent } from './intent.js';
import { stepLock } from './lock-names.js';
import { findIntent } from './read-intents.js';
import type { LedgerDependencies } from './settings.js';
import { FREE_READ } from './states.js';

/** A read that should have been free was charged; the workflow is the one for which it was read. */
export interface UnexpectedCharge extends Pick<
  Intent,
  | 'account'
  | 'operation'
  | 'workflowId'
  | 'firstRunId'
  | 'workflowType'
  | 'balanceAfter'
  | 'metaRequestId'
  | 'searchLogId'
> {
  readonly charged: Amount;
  readonly httpStatus: number | null;
  /** Identifies the activity that made the read, whatever its attempt. */
  readonly activity?: string;
}

export interface UnexpectedCharges {
  /** True while this operation, which should be free, has charged the account within 30 days. */
  isBarred(account: string, operation: string): Promise<boolean>;
  /** The same, for charges that this process could not write yet. */
  isBarredHere(account: string, operation: string): Promise<boolean>;
  /** Never rejects: a charge that cannot be written is kept by this process, bars its operation, and is written later. */
  bookUnexpected(charge: UnexpectedCharge): Promise<void>;
  /** The charges that attempts of this activity have booked, oldest first. */
  bookedBy(activity: Required<Pick<UnexpectedCharge, 'workflowId' | 'activity'>>): Promise<readonly BookedCharge[]>;
}

type BookedCharge = Pick<UnexpectedCharge, 'operation' | 'charged' | 'metaRequestId' | 'searchLogId'>;

/** How long a read that was charged is not made again. */
export const BARRED_FOR_MS = 30 * DAY_MS;

/** Each try has the same id: a commit whose acknowledgement was lost has written the row already. */
type DatedCharge = UnexpectedCharge & { readonly nowMs: number; readonly intentId: string };

export function createUnexpectedCharges({ db, clock }: Pick<LedgerDependencies, 'db' | 'clock'>): UnexpectedCharges {
  const unbooked = new Set<DatedCharge>();
  let booking: Promise<void> = Promise.resolve();

  /** One try at a time: two at once would write two rows. A charge bars its operation here until its row does. */
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
  const isBarredHere = async (account: string, operation: string): Promise<boolean> => {
    const isUnbooked = [...unbooked].some((charge) => charge.account === account && charge.operation === operation);
    if (unbooked.size > 0) await bookAll();
    return isUnbooked;
  };
  return {
    bookUnexpected: (charge) => {
      unbooked.add({ ...charge, nowMs: clock(), intentId: randomUUID() });
      return bookAll();
    },
    bookedBy: async ({ workflowId, activity }) => {
      if (unbooked.size > 0) await bookAll();
      const { rows } = await sql<BookedCharge>`
        select operation, charged, meta_request_id as "metaRequestId", search_log_id as "searchLogId" from tramita.intent
        where workflow_id = ${workflowId} and ${FREE_READ} and evidence ->> 'activity' = ${activity}
        order by seq`.execute(db);
      return rows;
    },
    isBarredHere,
    isBarred: async (account, operation) => {
      if (await isBarredHere(account, operation)) return true;
      const { rows } = await sql`${selectBarringCharge({ account, operation, nowMs: clock() })}`.execute(db);
      return rows.length > 0;
    },
  };
}

/** SQL for one row if a recent charge bars this operation on the account. The order makes every plan use the index. */
export function selectBarringCharge(read: Pick<DatedCharge, 'account' | 'operation' | 'nowMs'>): RawBuilder<unknown> {
  const { account, operation, nowMs } = read;
  return sql`
    select 1 from tramita.intent
    where account = ${account} and operation = ${operation} and charged > 0 and joined is null
      and opened_at > ${instant(nowMs - BARRED_FOR_MS)} order by charged desc limit 1`;
}

/** The charge gets a row of its own, so every sum includes it. */
function insertCharge(db: Database, charge: DatedCharge): Promise<void> {
  const { workflowId, firstRunId, account, operation, nowMs, intentId, activity, ...reported } = charge;
  const step = freeStep(operation);
  return withLocks(db, [stepLock({ workflowId, firstRunId, step, ordinal: 0 })], async (trx) => {
    if ((await findIntent(trx, intentId)) !== undefined) return;
    const row = await nextFreeRow(trx, { workflowId, firstRunId, account, operation }, { intentId, nowMs });
    const intent: Intent = {
      ...row.intent,
      ...reported,
      state: 'done',
      amountSource: 'told',
      reason: 'unexpected charge: this read should be free',
      evidence: { unexpected: true, ...present({ activity }) },
    };
    await insertIntent(trx, { row: { ...row, intent }, nowMs });
  });
}
