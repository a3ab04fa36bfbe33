/** The listing before a call that is charged although it should be free: its flow learns of the charge, however the attempt ends. */
import { randomUUID } from 'node:crypto';
import type { ActivityDeps } from '../../src/activities/index.js';
import { bookUnder } from '../../src/activities/free/collect-charges.js';
import { takeListing } from '../../src/activities/evidence/listing.js';
import { auditMonitors } from '../../src/activities/monitors/audit-monitors.js';
import { newCall, type Call } from './calls.js';
import { withActivities } from './with-activities.js';

const UNEXPECTED = { operation: 'listRadars', amount: '0.05', metaRequestId: 'meta-1', searchLogId: null };

describe('a listing before a call that is charged', () => {
  const world = withActivities({ movable: true });

  /** The next read of the listing is charged, and the reads before it do not count. */
  const chargeNext = async (...operations: readonly string[]): Promise<void> => {
    world.advance(31 * 86_400_000);
    const body = { data: { items: [], total: 0 }, meta: { creditsCharged: 0.05, requestId: 'meta-1' } };
    for (const operation of operations)
      await world.control('/faults', { operation, fault: 'status', status: 200, body, times: 1 });
  };
  const ofRun = (): Call => newCall('createRadar', { params: {}, body: { termo: 'Acme' } });
  /** `activity`: a retry has that of the attempts before it. */
  const take = (
    deps: ActivityDeps,
    input: Call,
    { attempt = 1, activity = randomUUID() } = {},
  ): ReturnType<typeof takeListing> =>
    takeListing(bookUnder(deps, { activity }), input, { signal: AbortSignal.timeout(30_000), attempt, activity });
  const booked = async ({ workflowId }: Call): Promise<readonly (number | null)[]> => {
    const rows = await world.deps().ledger.list({ account: 'default', workflowId });
    return rows.map(({ charged }) => charged);
  };

  it('is told although it cannot be stored: the next attempt would not read it', async () => {
    await chargeNext('listRadars');
    const deps = world.deps();
    const saveSnapshot = (): Promise<never> => Promise.reject(new Error('the database is away'));
    const input = ofRun();
    expect(await take({ ...deps, monitors: { ...deps.monitors, saveSnapshot } }, input)).toEqual({
      complete: false,
      unexpected: UNEXPECTED,
    });
    expect(await booked(input)).toEqual([500]);
  });

  it('is told by the next attempt if its worker dies before it returns, and by no later activity', async () => {
    await chargeNext('listRadars');
    const [input, activity] = [ofRun(), randomUUID()];
    // The result of a worker that dies reaches nobody.
    await take(world.deps(), input, { activity });
    expect(await take(world.deps(), input, { activity, attempt: 2 })).toEqual({
      complete: false,
      unexpected: UNEXPECTED,
    });
    expect(await take(world.deps(), input)).toEqual({ complete: false });
    expect(await take(world.deps(), input, { attempt: 2 })).toEqual({ complete: false });
    expect(await booked(input)).toEqual([500]);
  });

  it('is told with the other listing of an audit whose worker dies before it returns', async () => {
    await chargeNext('listNoticeMonitors', 'listRadars');
    const { workflowId, firstRunId } = ofRun();
    const activity = randomUUID();
    const audit = (attempt: number): ReturnType<typeof auditMonitors> => {
      const reader = { workflowId, firstRunId, workflowType: 'auditMonitors' };
      const asker = { signal: AbortSignal.timeout(30_000), reader, attempt, activity };
      return auditMonitors(bookUnder(world.deps(), { activity }), { account: 'default' }, asker);
    };
    const charges = [{ ...UNEXPECTED, operation: 'listNoticeMonitors' }, UNEXPECTED];
    expect(await audit(1)).toMatchObject({ kind: 'report', charges });
    expect(await audit(2)).toMatchObject({ kind: 'refused', charges });
  });
});
