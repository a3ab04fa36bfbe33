/**
 * Brings a row to what a call or a poll found out: two round trips (begin with locks and the row; write and commit). The
 * settlement of a row that joined another one is the settlement of that one. A late answer to a decided row is kept as a
 * conflict, never applied.
 */
import { createHash } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { listedPrice, present } from '../contract/index.js';
import { requestKey } from '../inbox/index.js';
import { instant, type Ending } from '../store/index.js';
import { holdNewsOf } from './account-hold.js';
import { changeIntent, type IntentUnderLock } from './change-intent.js';
import { applySettlement, decideSettlement } from './decide-settlement.js';
import type { Intent } from './intent.js';
import type { Settled, Settlement } from './settlement.js';
import type { LedgerContext } from './settings.js';
import { followRoot } from './states.js';
import { buildChange, insertBody, insertBytes, type StoredBody, type Written } from './write-change.js';
import { noteHold } from './write-hold.js';

interface Settling {
  readonly context: LedgerContext;
  readonly settlement: Settlement;
  /** Stored beside the row, under its hash. */
  readonly body: StoredBody | undefined;
  readonly askedBy: string | undefined;
  readonly nowMs: number;
}

export function settleIntent(
  context: LedgerContext,
  intentId: string,
  settlement: Settlement,
  askedBy?: string,
): Promise<Settled> {
  const settling = { context, settlement, body: storedBody(settlement), askedBy, nowMs: context.clock() };
  const { requestId } = settlement;
  const extraNames = requestId === undefined || requestId === null ? [] : [requestKey(requestId)];
  return changeIntent(context.db, { intentId, extraNames }, (rows): Ending<Settled> => {
    const { intent } = rows.asked;
    switch (decideSettlement(rows.root.intent, settlement)) {
      case 'apply':
        return applied(settling, rows);
      case 'same':
        return { write: [], then: () => ({ intent, applied: true, eventSeen: false, wake: [] }) };
      case 'conflict':
        return {
          write: [conflict(rows.root.intent, settling)],
          then: () => ({ intent, applied: false, eventSeen: false, wake: [] }),
        };
    }
  });
}

function applied(
  { context: { db, settings, catalogue }, settlement, body, askedBy, nowMs }: Settling,
  { asked, root }: IntentUnderLock,
): Ending<Settled> {
  const { operation } = root.intent;
  const listed = catalogue.has(operation) ? listedPrice(catalogue.operationOf(operation)) : undefined;
  const after = applySettlement(root.intent, settlement, { nowMs, bodySha256: body?.sha256, listedPrice: listed });
  // Only its own attempt can bring news of an open row.
  const informed = askedBy ?? (root.intent.state === 'open' ? root.intent.workflowId : undefined);
  const change = buildChange(db, {
    before: root,
    after,
    // A final that is polled tells the balance of its 202, which is old by then.
    balanceTold: typeof settlement.balanceAfter === 'number' && root.intent.state === 'open',
    nowMs,
    hold: noteHold(holdNewsOf(root.intent, settlement, nowMs), {
      outageAfter: settings.accounts[root.intent.account]?.outageAfter ?? 0,
      nowMs,
    }),
    ...present({ body, askedBy: informed }),
  });
  const intent = asked === root ? after : followRoot(asked.intent, after);
  return { write: [change], then: ([written]) => ({ intent, applied: true, ...(written as Written) }) };
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
