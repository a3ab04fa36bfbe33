/**
 * Reads what a poll needs before it asks the service, in one statement without locks: its row, the row that carries the charge,
 * whether free calls of the account are held, and whether the read that may follow has charged before.
 */
import { sql, type Selectable } from 'kysely';
import { lookOften, type IntentTable } from '../store/index.js';
import { decideHold, type AccountHold, type HoldFacts } from './account-hold.js';
import { withRoot } from './change-intent.js';
import type { Intent } from './intent.js';
import { VERSION, readKept, type KnownRow } from './intent-row.js';
import { findIntent } from './read-intents.js';
import type { LedgerContext } from './settings.js';
import { rootOf } from './states.js';
import { selectBarringCharge } from './unexpected-charges.js';
import { HOLD_FACTS } from './write-hold.js';

export interface PollLooks {
  lookForPoll(request: PollLookRequest): Promise<PollLook>;
}

export interface PollLookRequest {
  readonly intentId: string;
  readonly account: string;
  /** The free read that may follow the poll. */
  readonly read: string;
}

export interface PollLook {
  /** The row of the poll, from the archive too. */
  readonly own: Intent | undefined;
  /** The row that carries the charge: `own` itself unless that joined another one. */
  readonly original: Intent | undefined;
  /** `own` with its version, for its settlement, if it carries the charge and is not archived. */
  readonly row: KnownRow | undefined;
  /** Why free calls of the account wait. */
  readonly hold: AccountHold | undefined;
  /** `read` has charged the account, according to the database. Charges that only this process knows do not count. */
  readonly isBarred: boolean;
}

type LookedRow = HoldFacts & { readonly isBarred: boolean; readonly version: string | null } & Selectable<IntentTable>;

export async function lookForPoll(
  { db, clock }: Pick<LedgerContext, 'db' | 'clock'>,
  { intentId, account, read }: PollLookRequest,
): Promise<PollLook> {
  const nowMs = clock();
  const rows = await lookOften(
    db,
    sql<LookedRow>`
    select facts.*, found.* from (
      select ${HOLD_FACTS}, (${selectBarringCharge({ account, operation: read, nowMs })}) is not null as "isBarred"
      from (select) as always left join tramita.account_hold as hold on hold.account = ${account}
    ) as facts left join (select *, ${VERSION} as version from ${withRoot('tramita.intent', intentId)}) as found on true`,
  );
  const [first] = rows as readonly [LookedRow];
  const kept = rows.flatMap((row) => (row.version === null ? [] : [{ kept: readKept(row), version: row.version }]));
  const find = (id: string): KnownRow | undefined => kept.find((row) => row.kept.intent.intentId === id);
  const row = find(intentId.toLowerCase());
  // A row that was not found may be in the archive.
  const own = row?.kept.intent ?? (await findIntent(db, intentId));
  const original = own && (find(rootOf(own))?.kept.intent ?? (await findIntent(db, rootOf(own))) ?? own);
  return {
    own,
    original,
    row: own?.joined === null ? row : undefined,
    hold: decideHold({ ...first, failures: 0 }, { free: true, nowMs }),
    isBarred: first.isBarred,
  };
}
