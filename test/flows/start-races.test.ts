/** A start that joins a run compares its input with that run's, and not with that of a run that has the id by then. */
import { randomUUID } from 'node:crypto';
import { startRefreshCase, type StartOptions } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { withFlows } from './with-flows.js';

describe('a start that joins a run which ends at once', () => {
  const flows = withFlows({ worker: false });

  it('is refused if that run had another input', async () => {
    const { client, deps } = flows;
    const cnj = newCase();
    const workflowId = `joined.${randomUUID()}`;
    await startRefreshCase(deps, { cnj, documents: true }, { workflowId });
    const startRun: StartOptions['startRun'] = async (type, options) => {
      const joined = await client.workflow.start(type, options);
      await client.workflow.getHandle(workflowId).terminate('ended by the test');
      await startRefreshCase(deps, { cnj }, { workflowId });
      return joined.firstExecutionRunId;
    };
    await expect(startRefreshCase(deps, { cnj }, { workflowId, startRun })).rejects.toThrow('with a different input');
    await client.workflow.getHandle(workflowId).terminate('end of the test');
  });
});
