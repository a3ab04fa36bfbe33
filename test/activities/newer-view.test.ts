/** A flow of a newer version may ask for a view of its answer that this worker does not know: the answer is paid, and kept. */
import type { AnswerView } from '../../src/protocol/activities/readings.js';
import { charge, newCall, resolveUnknown } from './calls.js';
import { withActivities } from './with-activities.js';

describe('a paid answer whose view is not known here', () => {
  const world = withActivities();

  it('is settled, and another worker reads it', async () => {
    const call = newCall('getCase', { view: 'of a newer version' as AnswerView });
    expect(await charge(world.deps(), call)).toMatchObject({ outcome: 'CHARGED_LOST', settled: true });
    await expect(resolveUnknown(world.deps(), call)).rejects.toThrow();
    expect(await resolveUnknown(world.deps(), { ...call, view: 'record' })).toMatchObject({
      outcome: 'DONE',
      reading: { record: expect.anything() as unknown },
    });
    expect(await world.control('/charges')).toMatchObject({ charges: [{ operation: 'getCase' }] });
  });
});
