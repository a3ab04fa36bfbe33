/**
 * A worker is killed with SIGKILL during two long calls: the tenth poll of a flow, and a paid call whose answer is a file.
 * Its death is noticed by missing heartbeats: before the calls time out, and without a back-off that has grown with the
 * number of polls.
 */
import { startCallOperation } from '../../src/starters/index.js';
import { withFlows } from '../flows/with-flows.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { pollsOf, untilCharged } from './looks.js';
import { withPrograms } from './processes.js';

const HOUR_MS = 3_600_000;
const HANGS_MS = 300_000;
const POLLS = 9;
/** The heartbeat timeout is 45 s for the file call and 30 s for the poll; the rest is room for a machine that stalls. */
const NOTICED_WITHIN_MS = 100_000;

describe('a worker killed with SIGKILL', () => {
  const programs = withPrograms(() => flows);
  const flows = withFlows({ worker: false, sandbox: { refreshMs: HOUR_MS, pollAfterMs: 100 } });

  it('is noticed by missing heartbeats during the tenth poll and during a file call, and nothing is paid twice', async () => {
    const worker = await programs.startWorker();
    const cnj = newCase();
    const polling = await flows.refresh({ cnj, webhook: false });
    const [{ requestId } = { requestId: undefined }] = await untilCharged(flows, cnj);
    const polls = (): Promise<number> => pollsOf(flows, requestId);
    await until(async () => (await polls()) >= POLLS, {
      withinMs: 60_000,
      what: `${POLLS} polls`,
    });

    await flows.fault({ operation: 'getElectoralEditionPdf', fault: 'F7', ms: HANGS_MS, times: 1 });
    await flows.fault({ operation: 'getRequest', fault: 'F7', ms: HANGS_MS, times: 1 });
    const file = await startCallOperation(flows.deps, {
      operation: 'getElectoralEditionPdf',
      params: { id: 'djee-sp-2026-03-10' },
    });
    for (const operation of ['getElectoralEditionPdf', 'getRequest']) {
      await until(() => hangs(operation), {
        withinMs: 60_000,
        what: `${operation} to hang`,
      });
    }
    const before = await polls();
    await worker.kill();
    const killedAtMs = Date.now();
    await programs.startWorker();

    const [polledAgainMs, noticedMs] = await Promise.all([
      until(async () => ((await polls()) > before ? Date.now() - killedAtMs : undefined), {
        withinMs: 2 * NOTICED_WITHIN_MS,
        what: 'the next poll',
      }),
      until(async () => ((await heartbeatTimeouts(file.workflowId)) > 0 ? Date.now() - killedAtMs : undefined), {
        withinMs: 2 * NOTICED_WITHIN_MS,
        what: 'the silence of the file call to be noticed',
      }),
    ]);
    expect(polledAgainMs).toBeLessThan(NOTICED_WITHIN_MS);
    expect(noticedMs).toBeLessThan(NOTICED_WITHIN_MS);
    await flows.control('/clock', { advanceMs: HOUR_MS });
    expect(await polling.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    await flows.client.workflow.getHandle(file.workflowId).terminate();
  }, 360_000);

  async function hangs(id: string): Promise<boolean> {
    return (await flows.requests()).some(({ operation, fault }) => operation === id && fault === 'F7');
  }

  /** Number of attempts that ended with a heartbeat timeout. */
  async function heartbeatTimeouts(workflowId: string): Promise<number> {
    const { events } = await flows.client.workflow.getHandle(workflowId).fetchHistory();
    const timeouts = (events ?? []).map(
      ({ activityTaskTimedOutEventAttributes: ended }) => ended?.failure?.timeoutFailureInfo,
    );
    // 4: TIMEOUT_TYPE_HEARTBEAT
    return timeouts.filter((info) => Number(info?.timeoutType) === 4).length;
  }
});
