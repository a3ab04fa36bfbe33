/** What comes late about a call whose row has become pending meanwhile: it may add facts, and never undoes what is known. */
import { randomUUID } from 'node:crypto';
import { settleAnswer, type Answered } from '../../src/activities/charged/settle-answer.js';
import type { ActivityDeps } from '../../src/activities/index.js';
import type { Settlement } from '../../src/ledger/index.js';
import { until } from '../support/until.js';
import { charge, newCall, resolveUnknown, untilNoted, type Call } from './calls.js';
import { withActivities } from './with-activities.js';

describe('a row that has become pending meanwhile', () => {
  const world = withActivities({
    account: { exclusive: true, debitAt: 'answer', refunds: 'never' },
    sandbox: { dialect: { debitAt: 'answer' } },
  });

  test('a charge that the balance proves does not replace the 202 that another worker has settled meanwhile', async () => {
    const { ledger } = world.deps();
    await untilNoted(world.deps());
    await world.control('/faults', { operation: 'getCase', fault: 'F4' });
    const call = newCall('getCase');
    await charge(world.deps(), call);
    const requestId = randomUUID();
    const chargedSince: typeof ledger.chargedSince = async (name, range) => {
      const charged = await ledger.chargedSince(name, range);
      await ledger.settle(range.except, { state: 'pending', httpStatus: 202, requestId });
      return charged;
    };
    const deps: ActivityDeps = { ...world.deps(), ledger: { ...ledger, chargedSince } };
    const resolved = await until(async () => {
      const outcome = await resolveUnknown(deps, call);
      return outcome.outcome === 'UNKNOWN' ? undefined : outcome;
    });
    expect(resolved).toMatchObject({ outcome: 'PENDING', requestId });
  });

  describe('the end of a call that a frozen worker reports late', () => {
    async function decidedAsCharged() {
      const { ledger } = world.deps();
      const opened = await ledger.openIntent({
        ...(newCall('requestRefresh') as Omit<Call, 'maxSpend' | 'budget'>),
        waiterKeys: [],
        webhookExpected: false,
        attempt: 1,
        attemptToken: randomUUID(),
      });
      if (opened.kind !== 'send') throw new Error(opened.kind);
      const { intent, row } = opened;
      await ledger.settle(intent.intentId, { state: 'unknown', reason: 'the activity did not return' });
      await ledger.decide({ intentId: intent.intentId, decision: 'charged', requestId: randomUUID(), by: 'ana' });
      const settleLate = (settlement: Settlement) => {
        const entry = { ...intent, waiterKeys: [], budgetKey: null } as Answered['call'];
        const rest = { call: entry, facts: undefined, age: () => 0, untilAgeMs: 1_000 };
        return settleAnswer(world.deps(), { intent, row, settlement, ...rest });
      };
      return { intentId: intent.intentId, settleLate };
    }

    it('does not make work unknown again that a person has found to be accepted', async () => {
      const { intentId, settleLate } = await decidedAsCharged();
      await settleLate({ state: 'unknown', reason: 'no byte of an answer within 35000 ms' });
      expect(await world.deps().ledger.find(intentId)).toMatchObject({ state: 'pending' });
    });

    it('settles it if it is an answer', async () => {
      const { intentId, settleLate } = await decidedAsCharged();
      await settleLate({ state: 'rejected', httpStatus: 422 });
      expect(await world.deps().ledger.find(intentId)).toMatchObject({ state: 'rejected' });
    });
  });
});
