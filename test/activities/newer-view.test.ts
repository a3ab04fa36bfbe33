/** A flow of a newer version may ask for a view of its answer that this worker does not know: the answer is paid, and kept. */
import { randomUUID } from 'node:crypto';
import { runChargedCall } from '../../src/activities/charged/charged-call.js';
import type { AnswerView } from '../../src/protocol/activities/readings.js';
import { newCase } from '../support/case-number.js';
import { resolveUnknown } from './resolve-now.js';
import { withActivities } from './with-activities.js';

describe('a paid answer whose view is not known here', () => {
  const world = withActivities();

  it('is settled, and another worker reads it', async () => {
    const run = randomUUID();
    const key = { workflowId: `view/${run}`, firstRunId: run, step: 'getCase', ordinal: 1 };
    const call = { ...key, account: 'default', params: { cnj: newCase() } };
    const view = 'of a newer version' as AnswerView;
    const input = { ...call, workflowType: 'test', flags: [], view };
    const sent = await runChargedCall(world.deps(), 'getCase', input, { attempt: 1, attemptToken: randomUUID() });
    expect(sent).toMatchObject({ outcome: 'CHARGED_LOST', settled: true });
    const asked = { ...call, operation: 'getCase' };
    await expect(resolveUnknown(world.deps(), { ...asked, view })).rejects.toThrow();
    expect(await resolveUnknown(world.deps(), { ...asked, view: 'record' })).toMatchObject({
      outcome: 'DONE',
      reading: { record: expect.anything() as unknown },
    });
    expect(await world.control('/charges')).toMatchObject({ charges: [{ operation: 'getCase' }] });
  });
});
