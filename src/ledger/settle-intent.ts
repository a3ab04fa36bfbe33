/**
 * Settles a row with what a call or a poll found out. Takes two round trips (begin with locks and the row; write and commit), or
 * one if the caller knows the row and nobody has changed it since. For a row that joined another one, the original is settled. A
 * late answer that contradicts a decided row is stored as a conflict, never applied.
 */
import { createHash } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { listedPrice, present, ZERO_AMOUNT } from '../contract/index.js';
import { requestKey } from '../inbox/index.js';
import { instant, lockAndWrite, takeLocks, type Ending, type Writable } from '../store/index.js';
import { holdNewsOf } from './account-hold.js';
import { priceKey } from './call-to-open.js';
import { changeIntent, type IntentUnderLock } from './change-intent.js';
import { applySettlement, decideSettlement } from './decide-settlement.js';
import type { Intent, IntentState } from './intent.js';
import type { KnownRow } from './intent-row.js';
import type { SettledBy, SettlementSource } from './ledger.js';
import { fromRowsWith, loggedCharge } from './logged-charge.js';
import { subjectLock } from './lock-names.js';
import type { Settled, Settlement } from './settlement.js';
import type { LedgerContext } from './settings.js';
import { followRoot } from './states.js';
import { buildChange, insertBody, insertBytes, wakesOf, type StoredBody, type Written } from './write-change.js';
import { noteHold } from './write-hold.js';

interface Settling {
  readonly context: LedgerContext;
  readonly settlement: Settlement;
  readonly source: SettlementSource | undefined;
  /** Stored in a table of its own, under its hash. */
  readonly body: StoredBody | undefined;
  readonly askedBy: string | undefined;
  readonly nowMs: number;
  /** Locks besides those that the row itself keeps. */
  readonly extraNames: readonly string[];
  readonly beside: readonly Writable[];
}

/** Together with statements `beside` it, a settlement waits at most 250 ms for a row lock; alone it waits as usual. */
const LOCKS_WITHIN = sql`select set_config('lock_timeout', '250', true)`;

export async function settleIntent(
  context: LedgerContext,
  intentId: string,
  settlement: Settlement,
  { source, askedBy, row, beside = [] }: SettledBy = {},
): Promise<Settled> {
  const { requestId } = settlement;
  const extraNames = requestId === undefined || requestId === null ? [] : [requestKey(requestId)];
  const settling: Settling = {
    context,
    settlement,
    source,
    askedBy,
    extraNames,
    beside: beside.length === 0 ? [] : [LOCKS_WITHIN, ...beside],
    body: storedBody(settlement),
    nowMs: context.clock(),
  };
  const known = row?.kept.intent.intentId === intentId ? await settleKnown(settling, row) : undefined;
  return known ?? settleLocked(settling, intentId);
}

/** Undefined if the row was not written: it has changed, another row has its charge, or the settlement does not simply apply. */
async function settleKnown(settling: Settling, { kept, version }: KnownRow): Promise<Settled | undefined> {
  const { context, settlement, source, extraNames, beside } = settling;
  const { intent, waiterKeys } = kept;
  if (intent.joined !== null || decideSettlement(intent, settlement, source) !== 'apply') return undefined;
  const { change, then } = buildSettlement(
    settling,
    { own: kept, root: kept },
    { version, unless: isBooked(settlement, intent) },
  );
  const locks = takeLocks([subjectLock(intent), ...waiterKeys, ...extraNames]);
  const [written] = await lockAndWrite<Written>(context.db, { locks: [locks], beside, write: change });
  return written === undefined ? undefined : then(written);
}

/** SQL condition: another row has booked the charge that this settlement would add to the row. */
function isBooked(settlement: Settlement, row: Intent): RawBuilder<boolean> | undefined {
  const charge = loggedCharge(settlement, row);
  if (charge === undefined || charge.requestId === null) return undefined;
  const rows = fromRowsWith(charge, { request: sql`${charge.requestId}`, account: sql`${row.account}` });
  return sql<boolean>`exists (select ${rows} and intent_id <> ${row.intentId}::uuid)`;
}

function settleLocked(given: Settling, intentId: string): Promise<Settled> {
  const { context, source, extraNames, beside } = given;
  const charge = loggedCharge(given.settlement);
  return changeIntent(context.db, { intentId, extraNames, ...present({ charge }) }, (rows): Ending<Settled> => {
    const { intent } = rows.own;
    const isElsewhere = rows.others.length > 0 && loggedCharge(given.settlement, rows.root.intent) !== undefined;
    const settlement = isElsewhere ? { ...given.settlement, charged: ZERO_AMOUNT } : given.settlement;
    const settling = { ...given, settlement };
    switch (decideSettlement(rows.root.intent, settlement, source)) {
      case 'apply': {
        const { change, then } = buildSettlement(settling, rows);
        return { write: [...beside, change], then: ([written]) => then(written as Written) };
      }
      case 'same':
        return { write: beside, then: () => ({ intent, applied: true, eventSeen: false, wakes: [] }) };
      case 'conflict':
        return {
          write: [conflict(rows.root.intent, settling)],
          then: () => ({ intent, applied: false, eventSeen: false, wakes: [] }),
        };
    }
  });
}

/** Age of the balance in an answer, by the state of the row: a final answer that is polled may have the balance of its 202. */
const BALANCE_AGE: Partial<Record<IntentState, 'now' | 'before'>> = { open: 'now', pending: 'before' };

function buildSettlement(
  { context, settlement, body, askedBy, nowMs }: Settling,
  { own, root }: Pick<IntentUnderLock, 'own' | 'root'>,
  known: { readonly version?: string; readonly unless?: RawBuilder<boolean> | undefined } = {},
): { readonly change: Writable; readonly then: (written: Written) => Settled } {
  const { settings, catalogue } = context;
  const { operation } = root.intent;
  const listed = catalogue.has(operation) ? listedPrice(catalogue.operationOf(operation)) : undefined;
  const after = applySettlement(root.intent, settlement, { nowMs, bodySha256: body?.sha256, listedPrice: listed });
  // Only its own attempt can settle an open row.
  const informed = askedBy ?? (root.intent.state === 'open' ? root.intent.workflowId : undefined);
  const change = buildChange({
    before: root,
    after,
    reportedBalance: typeof settlement.balanceAfter === 'number' ? BALANCE_AGE[root.intent.state] : undefined,
    nowMs,
    hold: (when) =>
      noteHold(holdNewsOf(root.intent, settlement, nowMs), {
        outageAfter: settings.accounts[root.intent.account]?.outageAfter ?? 0,
        nowMs,
        when,
      }),
    ...present({ ...known, body, askedBy: informed }),
  });
  const intent = own === root ? after : followRoot(own.intent, after);
  const then = (written: Written): Settled => {
    noteHighest(context, after);
    return { intent, applied: true, eventSeen: written.eventSeen, wakes: wakesOf({ after, nowMs }, written) };
  };
  return { change, then };
}

/** Remembers a higher charge: the next opening of this process expects to find it. */
function noteHighest({ highestCharges }: LedgerContext, { account, operation, charged }: Intent): void {
  const key = priceKey({ account, operation });
  const known = highestCharges.get(key);
  if (known === undefined || charged === null || charged <= (known ?? 0)) return;
  highestCharges.set(key, charged);
}

function storedBody({ body }: Settlement): StoredBody | undefined {
  if (body === undefined) return undefined;
  return { ...body, sha256: createHash('sha256').update(body.bytes).digest('hex') };
}

function conflict(intent: Intent, { settlement, body, nowMs }: Settling): RawBuilder<unknown> {
  const { body: _bytes, ...facts } = settlement;
  return sql`
    with stored as (${insertBody(body, nowMs)}), bytes as (${insertBytes(body)})
    insert into tramita.settlement_conflict (intent_id, settlement, body_sha256, found_at)
    values (${intent.intentId}::uuid, ${JSON.stringify(facts)}::jsonb, ${body?.sha256 ?? null}, ${instant(nowMs)})`;
}
