/**
 * Two builds as versions of one deployment, rolled out over flows that run, wait and are parked, and rolled back. The later
 * build has a change behind `patched`. A real server routes, by the requests that `temporal worker deployment` sends.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { temporal as proto } from '@temporalio/proto';
import { settleCharge } from '../../src/starters/index.js';
import type { TramitaWorker } from '../../src/workers/index.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

const NEXT_BUILD = { './flow/begin-flow.js$': join(__dirname, '../../soak/rolling/next-build.ts') };
const { VERSIONING_BEHAVIOR_PINNED: PINNED, VERSIONING_BEHAVIOR_AUTO_UPGRADE: AUTO_UPGRADE } =
  proto.api.enums.v1.VersioningBehavior;
const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = proto.api.enums.v1.TaskQueueType;
/** The service's work ends only when its clock is moved. */
const HOUR_MS = 3_600_000;

describe('a build that is rolled out as a version of a deployment', () => {
  const flows = withFlows({ worker: false, sandbox: { refreshMs: HOUR_MS, pollAfterMs: 200 } });
  const deploymentName = `tramita-${randomBytes(4).toString('hex')}`;
  const versionEnv = (buildId: string) => ({ TRAMITA_DEPLOYMENT: deploymentName, TRAMITA_BUILD_ID: buildId });
  const service = () => flows.client.workflowService;
  const namespace = 'default';
  /** Makes a version current as soon as the server knows workers of it. */
  const setCurrent = async (buildId: string): Promise<void> => {
    await until(
      () =>
        service()
          .setWorkerDeploymentCurrentVersion({ namespace, deploymentName, buildId })
          .then(
            () => true,
            () => undefined,
          ),
      { what: `version ${buildId} to be current` },
    );
    // Task queues learn of it a moment later. They are asked themselves: the deployment's own record of it can stay behind.
    for (const taskQueueType of [TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY]) {
      const request = { namespace, taskQueue: { name: flows.taskQueue }, taskQueueType };
      await until(
        async () => {
          const { versioningInfo } = await service().describeTaskQueue(request);
          return versioningInfo?.currentDeploymentVersion?.buildId === buildId;
        },
        { what: `a task queue to know version ${buildId}`, withinMs: 180_000 },
      );
    }
  };
  const ramp = (buildId: string, percentage: number) =>
    service().setWorkerDeploymentRampingVersion({ namespace, deploymentName, buildId, percentage });
  const versionOf = async (workflowId: string) => {
    const { raw } = await flows.client.workflow.getHandle(workflowId).describe();
    const { behavior, deploymentVersion } = raw.workflowExecutionInfo?.versioningInfo ?? {};
    return { behavior, buildId: deploymentVersion?.buildId };
  };
  const taskFailures = async (workflowId: string) => {
    const { events } = await flows.client.workflow.getHandle(workflowId).fetchHistory();
    return (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
      failed?.failure?.message ? [failed.failure.message] : [],
    );
  };
  /** Pins a run to this version, as `temporal workflow update-options --query …` does. */
  const pin = (workflowId: string, buildId: string) =>
    service().updateWorkflowExecutionOptions({
      namespace,
      workflowExecution: { workflowId },
      workflowExecutionOptions: {
        versioningOverride: {
          pinned: {
            behavior: proto.api.workflow.v1.VersioningOverride.PinnedOverrideBehavior.PINNED_OVERRIDE_BEHAVIOR_PINNED,
            version: { deploymentName, buildId },
          },
        },
      },
      updateMask: { paths: ['versioning_override'] },
    });
  const begun: string[] = [];
  const startWaitingRefresh = async (): Promise<string> => {
    const { workflowId } = await flows.refresh({ cnj: newCase(), webhook: false });
    begun.push(workflowId);
    await flows.waiting(workflowId);
    return workflowId;
  };
  /** The flow stays parked, however slow the machine is: no free read shows a summary's state, as one does a refresh's. */
  const startParkedSummary = async (): Promise<string> => {
    await flows.fault({ operation: 'requestSummary', fault: 'F4' });
    const { workflowId } = await flows.startPlain('summarizeCase', { cnj: newCase() });
    begun.push(workflowId);
    await flows.parked(workflowId);
    return workflowId;
  };
  const startParkedRadar = async (reference: string): Promise<string> => {
    await flows.fault({ operation: 'listRadars', fault: 'status', status: 503, body: 'gateway', times: 1_000 });
    await flows.fault({ operation: 'createRadar', fault: 'F4' });
    const { workflowId } = await flows.startPlain('createRadar', {
      reference,
      definition: { termo: reference },
    });
    begun.push(workflowId);
    await flows.parked(workflowId);
    return workflowId;
  };
  const decide = (workflowId: string, step: string) =>
    settleCharge(flows.client, workflowId, { step, decision: 'abandon', by: 'ana' });
  const endOf = async (workflowId: string) => {
    const handle = flows.client.workflow.getHandle(workflowId);
    return handle.result().then(
      () => 'done',
      () => 'failed',
    );
  };
  let ofNobody: WorkflowHandle;
  let old: TramitaWorker;
  let next: TramitaWorker;
  let ofOld: Readonly<Record<'waits' | 'staysWaiting' | 'parked' | 'pinned', string>>;
  let ofNext: Readonly<Record<'waits' | 'parked', string>>;

  beforeAll(async () => {
    old = await flows.startWorker(versionEnv('1'));
    await setCurrent('1');
    const pinned = startParkedRadar('one');
    const parked = await startParkedSummary();
    const [waits, staysWaiting] = await Promise.all([startWaitingRefresh(), startWaitingRefresh()]);
    ofOld = { pinned: await pinned, parked, waits, staysWaiting };
  });

  it('warns when no new flow is routed to it', () => {
    expect(flows.logs.join('\n')).toContain(`set-current-version --deployment-name ${deploymentName} --build-id 1`);
  });

  it('runs each flow with the versioning behavior of its type', async () => {
    expect(await versionOf(ofOld.pinned)).toEqual({ behavior: PINNED, buildId: '1' });
    expect(await versionOf(ofOld.parked)).toEqual({ behavior: AUTO_UPGRADE, buildId: '1' });
  });

  it('ends a run of an unknown type while all new flows are routed to it', async () => {
    const refused = await failureOf(await flows.startPlain('refreshCases', {}));
    expect(refused).toMatchObject({ type: 'InvalidInput' });
  });

  it('leaves a run of an unknown type open while another build is rolled out', async () => {
    next = await flows.startWorker(versionEnv('2'), NEXT_BUILD);
    await until(
      () =>
        ramp('2', 0).then(
          () => true,
          () => undefined,
        ),
      { what: 'version 2 to be known' },
    );
    ofNobody = await flows.startPlain('flowOfTheNextBuild', {});
    const { workflowId } = ofNobody;
    const [message] = await until(
      async () => {
        const failures = await taskFailures(workflowId);
        return failures.length > 0 ? failures : undefined;
      },
      { what: 'its task to fail' },
    );
    expect(message).toContain(
      'this worker does not know the workflow type "flowOfTheNextBuild", and another build may',
    );
    expect((await ofNobody.describe()).status.name).toBe('RUNNING');
    await setCurrent('2');
  });

  it('takes over waiting and parked flows, but not pinned ones', async () => {
    await decide(ofOld.parked, 'requestSummary');
    await decide(ofOld.pinned, 'createRadar');
    expect([await endOf(ofOld.parked), await endOf(ofOld.pinned)]).toEqual(['failed', 'failed']);
    expect(await versionOf(ofOld.parked)).toMatchObject({ buildId: '2' });
    expect(await versionOf(ofOld.pinned)).toMatchObject({ buildId: '1' });
    await flows.control('/clock', { advanceMs: HOUR_MS });
    expect(await endOf(ofOld.waits)).toBe('done');
  });

  it('can be rolled back: flows pinned to it end on it, and all others on the old build', async () => {
    ofNext = { parked: await startParkedSummary(), waits: await startWaitingRefresh() };
    for (const workflowId of Object.values(ofNext)) await pin(workflowId, '2');
    await setCurrent('1');
    const again = await startWaitingRefresh();
    await decide(ofNext.parked, 'requestSummary');
    await flows.control('/clock', { advanceMs: HOUR_MS });
    expect([await endOf(ofNext.waits), await endOf(again)]).toEqual(['done', 'done']);
    expect(await endOf(ofOld.staysWaiting)).toBe('done');
    expect(await versionOf(ofNext.waits)).toMatchObject({ buildId: '2' });
    expect(await versionOf(again)).toMatchObject({ buildId: '1' });
    // Its task is repeated by the server, at a version that all new flows are routed to.
    expect(await failureOf(ofNobody)).toMatchObject({ type: 'InvalidInput' });
    next.shutdown();
    old.shutdown();
  });

  it('has paid nothing twice, left nothing behind, and failed no replay', async () => {
    for (const workflowId of begun) {
      const { status } = await flows.client.workflow.getHandle(workflowId).describe();
      expect(status.name).not.toBe('RUNNING');
      expect(await taskFailures(workflowId)).toEqual([]);
    }
    expect(await flows.charges()).toHaveLength(begun.length);
  });
});
