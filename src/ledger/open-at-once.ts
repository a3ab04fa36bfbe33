/**
 * Opens a call in one round trip if nothing stands in its way. The usual decisions are made on the look-up that is expected, and
 * the statement that writes the row checks, under the same locks, that the look-up is as expected. If it is not, or if one of the
 * call's own locks is not free, nothing is written and the opening takes two round trips (open-intent.ts). The locks of limits
 * are waited for, because they are held only for one message.
 */
import { ZERO_AMOUNT, type Amount } from '../contract/index.js';
import { sql, type RawBuilder } from 'kysely';
import { LOCKS_TAKEN, instant, lockAndWrite, takeLocks, tryLocks } from '../store/index.js';
import type { CallToOpen } from './call-to-open.js';
import { termsOf } from './call-terms.js';
import { roomFor } from './decide-budget.js';
import { decideOpening } from './decide-opening.js';
import { buildReservation, type Reserved } from './insert-intent.js';
import type { IntentVerdict } from './intent-verdict.js';
import { buildRoles, type LookUp } from './look-up.js';
import { buildOpen } from './new-intent.js';
import type { LedgerContext } from './settings.js';

/** Undefined: something stands in its way, or may. Nothing was written then. */
export async function openAtOnce(context: LedgerContext, call: CallToOpen): Promise<IntentVerdict | undefined> {
  const { request, free, subject, nowMs, limits, locks } = call;
  const expected = expectedLook(context, call);
  if (expected === undefined || decideOpening(request, { subject, free }, expected).kind !== 'send') return undefined;
  const { hold, reserved } = termsOf(context, call, expected);
  if (hold !== undefined) return undefined;
  const kept = buildOpen(request, { intentId: request.attemptToken, subject, nowMs, reserved });
  const flowAtMost = limits.flow === undefined ? null : limits.flow - reserved;
  const [written] = await lockAndWrite<Reserved>(context.db, {
    locks: [tryLocks(locks.own), ...(locks.ofLimits.length > 0 ? [takeLocks(locks.ofLimits)] : [])],
    write: buildReservation({ row: kept, nowMs }, roomFor(reserved, limits), {
      look: buildRoles(call.look),
      isSo: isAsExpected(
        { epoch: context.memory.epoch(), highestCharge: expected.highestCharge },
        { nowMs, flowAtMost },
      ),
    }),
  });
  const version = written?.version ?? null;
  return version === null ? undefined : { kind: 'send', intent: kept.intent, row: { kept, version } };
}

/**
 * Expects no row of this step or of an equal call, no hold, and the life of the database that this process knows. Undefined if
 * the step has waited for another flow, so that rows are likely, or if the price is not known yet.
 */
function expectedLook({ memory, highestCharges }: LedgerContext, call: CallToOpen): LookUp | undefined {
  const { request, look, priceKey } = call;
  const highestCharge = look.wanted.price ? highestCharges.get(priceKey) : null;
  if (highestCharge === undefined || request.joinIntent !== undefined) return undefined;
  return {
    own: undefined,
    ownEventSeen: false,
    once: [],
    later: [],
    earlier: undefined,
    target: undefined,
    live: [],
    young: undefined,
    shared: undefined,
    flowSpent: ZERO_AMOUNT,
    highestCharge,
    hold: { failures: 0, outageSinceMs: null, throttledUntilMs: null, freeThrottledUntilMs: null },
    life: { epoch: memory.epoch() ?? '', isSameServer: true, hasWitness: true, begunAtMs: 0, heldSinceMs: null },
  };
}

/** If no row is found, the look-up has one row without a role. Counted failures alone do not hold a call. */
function isAsExpected(
  { epoch, highestCharge }: { readonly epoch: string | undefined; readonly highestCharge: Amount | null },
  { nowMs, flowAtMost }: { readonly nowMs: number; readonly flowAtMost: number | null },
): RawBuilder<boolean> {
  const isPast = (until: string): RawBuilder<unknown> => sql`(${sql.ref(until)} <= ${instant(nowMs)}) is not false`;
  return sql<boolean>`${LOCKS_TAKEN} and exists (select from looked
    where role is null and epoch ${epoch === undefined ? sql`is not null` : sql`= ${epoch}`} and "isSameServer" and "hasWitness" and "heldSinceMs" is null
      and "outageSinceMs" is null and ${isPast('throttledUntilMs')} and ${isPast('freeThrottledUntilMs')}
      and "highestCharge" is not distinct from ${highestCharge}::bigint
      and ("flowSpent" <= ${flowAtMost}::bigint) is not false)`;
}
