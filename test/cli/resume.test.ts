/** `tramita resume`: its result, and a cap that a person raises. */
import { newCase } from '../support/case-number.js';
import { withFlows } from '../flows/with-flows.js';
import { runCommand, type CommandRun } from './run-command.js';

describe('tramita resume', () => {
  const flows = withFlows({ sandbox: { refreshMs: 300 }, account: { maxSpendPerFlow: '5' } });
  const resume = (...args: string[]): Promise<CommandRun> =>
    runCommand(['resume', ...args, '--by', 'ana', '--json'], flows.env);

  it('resumes a flow that has reached its own cap only with a sufficiently higher cap', async () => {
    await (await flows.refresh({ cnj: newCase(), documents: true })).result();
    const { workflowId, ...handle } = await flows.refresh({ cnj: newCase(), documents: true, maxSpend: '0.25' });
    await flows.parked(workflowId);

    const again = await resume(workflowId);
    expect(again.exitCode).toBe(3);
    expect(again.json()).toEqual({
      workflowId,
      resumed: false,
      still: 'budget',
      waitingFor: 'room under the cap of this flow',
      story: expect.stringContaining('would exceed the cap of this flow: spent 0.1, this call 0.2, cap 0.25') as string,
    });

    const less = await resume(workflowId, '--max-spend', '0.25');
    expect(less.exitCode).toBe(1);
    expect(less.err).toContain('maxSpend: seen "0.25"; expected more than the current cap, "0.25"');
    const wrong = await resume(workflowId, '--max-spend', 'lots');
    expect(wrong.exitCode).toBe(2);
    expect(wrong.err).toContain('maxSpend: seen "lots"; expected a decimal string');

    // A higher cap that is still too low.
    expect((await resume(workflowId, '--max-spend', '0.29')).json()).toMatchObject({ resumed: false, still: 'budget' });
    const enough = await resume(workflowId, '--max-spend', '0.30');
    expect(enough.exitCode).toBe(0);
    expect(enough.json()).toEqual({ workflowId, resumed: true });
    expect(await handle.result()).toMatchObject({ status: 'done', spent: { known: '0.3' } });
  });

  it('leaves a flow parked whose API key is refused again', async () => {
    // After a call of this length the flow polls itself, and meets both refusals.
    await flows.fault({ operation: 'requestRefresh', fault: 'F7', ms: 3_500 });
    await flows.fault({ operation: 'getRequest', fault: 'status', status: 401, times: 2 });
    const { workflowId, ...handle } = await flows.refresh({ cnj: newCase() });
    expect(await flows.parked(workflowId)).toMatchObject({ attention: 'credentials' });
    expect((await resume(workflowId)).exitCode).toBe(0);
    expect(await flows.parked(workflowId)).toMatchObject({ attention: 'credentials' });
    expect((await resume(workflowId, '--max-spend', '9')).err).toContain('this flow has no cap of its own to raise');
    expect((await resume(workflowId)).exitCode).toBe(0);
    await handle.result();
  });

  it('names commands for a flow that has ended as a shell takes them, whatever its id', async () => {
    const { exitCode, err } = await resume(`it's over; touch x`);
    expect(exitCode).toBe(1);
    expect(err).toContain(`(tramita status 'it'\\''s over; touch x')`);
    expect(err).toContain(`tramita settle --where 'workflow=it'\\''s over; touch x' (this lists`);
  });
});
