/**
 * An opening in one round trip, for a call that nothing hinders: decided on the look that is expected, by the decisions of
 * every opening, and written by a statement that looks, under the same locks, whether it is so. Where it is not, or one of the
 * call's own locks is not free, nothing was written, and the opening takes two (open-intent.ts). Limits are locked by messages
 * alone, so for them it waits.
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

/** Undefined: something hinders it, or may. Nothing was written then. */
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
 * No row of this step or of an equal call, an account that nothing holds, the life of the database that this process knows.
 * Undefined where rows are likely: a step that is tried again or has waited for another flow; or where the price is not known yet.
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

/** One row of the look has no role where none was found. Failures that were counted hold nothing. */
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
