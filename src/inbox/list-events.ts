/**
 * Reads events behind a cursor. Sequence numbers are drawn before their transaction commits, so a plain `seq > cursor`
 * could step over one that commits late. Recorders therefore hold a shared lock; the reader takes it exclusively for the
 * moment of reading, when no number is drawn and not yet visible.
 */
import { withLocks, type Database } from '../store/index.js';
import type { InboxEvent } from './types.js';

export const EVENT_ORDER = 'order of events';

const MAX_LIMIT = 1_000;

export function listEvents(
  db: Database,
  options: { readonly after?: number; readonly limit: number },
): Promise<readonly InboxEvent[]> {
  return withLocks(db, [EVENT_ORDER], async (trx) => {
    const rows = await trx
      .selectFrom('tramita.event')
      .select(['seq', 'account', 'event_id', 'event', 'body_sha256', 'body', 'conflict', 'created_at', 'received_at'])
      .where('seq', '>', options.after ?? 0)
      .orderBy('seq')
      .limit(Math.min(options.limit, MAX_LIMIT))
      .execute();
    return rows.map((row) => ({
      seq: row.seq,
      account: row.account,
      eventId: row.event_id,
      event: row.event,
      bodySha256: row.body_sha256,
      body: row.body,
      conflict: row.conflict,
      createdAt: row.created_at,
      receivedAtMs: row.received_at,
    }));
  });
}
