/** What comes late about a call whose row has become pending meanwhile: it may add facts, and never undoes what is known. */
import { randomUUID } from 'node:crypto';
import { runChargedCall } from '../../src/activities/charged/charged-call.js';
import { settleAnswer, type Answered } from '../../src/activities/charged/settle-answer.js';
import { noteQuietBalance, type ActivityDeps } from '../../src/activities/index.js';
import type { Settlement } from '../../src/ledger/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { resolveUnknown } from './resolve-now.js';
import { withActivities } from './with-activities.js';

describe('a row that has become pending meanwhile', () => {
  const world = withActivities({
    account: { exclusive: true, debitAt: 'answer', refunds: 'never' },
    sandbox: { dialect: { debitAt: 'answer' } },
  });

  /** A call of a run of its own, with its case. */
  function newCall(operation: string) {
    const run = randomUUID();
    const params = { cnj: newCase() };
    return { workflowId: `late/${run}`, firstRunId: run, step: operation, ordinal: 1, account: 'default', params };
  }

  test('a charge that the balance proves does not replace the 202 that another worker has settled meanwhile', async () => {
    const { ledger, accounts } = world.deps();
    const account = accounts.get('default');
    if (account === undefined) throw new Error('no account');
    await until(async () => {
      await noteQuietBalance(world.deps(), account);
      return (await ledger.openingBalance('default')) !== undefined;
    });
    await world.control('/faults', { operation: 'getCase', fault: 'F4' });
    const call = newCall('getCase');
    const input = { ...call, workflowType: 'test', flags: [] };
    await runChargedCall(world.deps(), 'getCase', input, { attempt: 1, attemptToken: randomUUID() });
    const requestId = randomUUID();
    const chargedSince: typeof ledger.chargedSince = async (name, range) => {
      const charged = await ledger.chargedSince(name, range);
      await ledger.settle(range.except, { state: 'pending', httpStatus: 202, requestId });
      return charged;
    };
    const deps: ActivityDeps = { ...world.deps(), ledger: { ...ledger, chargedSince } };
    const resolved = await until(async () => {
      const outcome = await resolveUnknown(deps, { ...call, operation: 'getCase' });
      return outcome.outcome === 'UNKNOWN' ? undefined : outcome;
    });
    expect(resolved).toMatchObject({ outcome: 'PENDING', requestId });
  });

  describe('the end of a call that a frozen worker reports late', () => {
    async function decidedAsCharged() {
      const { ledger } = world.deps();
      const call = newCall('requestRefresh');
      const opened = await ledger.openIntent({
        ...call,
        operation: 'requestRefresh',
        workflowType: 'test',
        flags: [],
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
