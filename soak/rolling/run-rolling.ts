/**
 * Rolls a build over flows in every phase, forward and back: old, new with a change behind `patched`, old. Workers are
 * processes with their own folders; routing follows docs/upgrade.md, as an operator would. Then the books are audited, and
 * every history is searched for failed tasks.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeFileSync } from 'node:fs';
import type { History } from '@temporalio/common/lib/proto-utils';
import { temporal } from '@temporalio/proto';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { packageRoot, type Shutdown } from '../../src/local/index.js';
import { auditBooks } from '../../src/testing/index.js';
import { readRows } from '../books.js';
import type { Flow } from '../flow-book.js';
import { progressWithin } from '../flow-book.js';
import { planFlows } from '../forget/flows.js';
import { startPerson } from '../person.js';
import { ownEnv } from '../pool.js';
import { notZero, type Report } from '../report.js';
import { startWorkerProcess, type WorkerProcess } from '../worker-process.js';
import { openWorld, type World } from '../world.js';
import { DEPLOYMENT, openDeployment } from './deployment.js';

interface RollingOptions {
  readonly flows: number;
  readonly seed: number;
}

const PATCH = 'next-build';
const [OLD, NEW] = ['1', '2'];
/** The service's pending work takes longer than a roll. */
const WORK_MS = 15_000;
const PHASE_MS = 12_000;
const END_WITHIN_MS = 240_000;
const { WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR: NONDETERMINISM } =
  temporal.api.enums.v1.WorkflowTaskFailedCause;

export async function runRolling(
  shutdown: Shutdown,
  { flows: count, seed }: RollingOptions,
  say: (text: string) => void,
): Promise<Report> {
  const world = await openWorld(shutdown, {
    sandbox: { refreshMs: WORK_MS, coverageMs: 0 },
    env: { TRAMITA_DEPLOYMENT: DEPLOYMENT, TRAMITA_BUILD_ID: OLD },
  });
  const deployment = await openDeployment(world);
  const start = async (buildId: string, more: { nodeOptions?: string[]; env?: Record<string, string> } = {}) => {
    const env = { ...ownEnv(world, Number(buildId)), TRAMITA_BUILD_ID: buildId, ...more.env };
    const worker: WorkerProcess = await startWorkerProcess(env, { nodeOptions: more.nodeOptions ?? [] });
    shutdown.add({ name: `worker of version ${buildId}`, stop: () => worker.kill() });
    return worker;
  };
  const startNext = async (): Promise<WorkerProcess> =>
    start(NEW, {
      nodeOptions: ['--require', join(__dirname, 'use-bundle.js')],
      env: { SOAK_BUNDLE: await bundleNextBuild(world) },
    });
  const orders = [...(await planFlows(world, { count, first: 1 + (seed % 500) * 1_000 }))];
  const flows: Flow[] = [];
  const startSome = async (share: number): Promise<void> => {
    flows.push(
      ...(await Promise.all(orders.splice(0, Math.ceil(count * share)).map((each) => world.flows.start(each)))),
    );
  };
  const phases: Record<string, Readonly<Record<string, number>>> = {};
  const roll = async (name: string): Promise<void> => {
    phases[name] = await statesOf(world, flows);
    say(`${name}: ${JSON.stringify(phases[name])}`);
  };

  await start(OLD);
  await deployment.setCurrent(OLD);
  await makeTrouble(world, count);
  await startSome(0.4);
  await sleep(PHASE_MS);
  const next = await startNext();
  await deployment.ramp(NEW, 50);
  await startSome(0.1);
  await roll('forward');
  await deployment.setCurrent(NEW);
  await startSome(0.3);
  const first = startPerson(world);
  await sleep(PHASE_MS);
  await first.stop();
  await roll('back');
  await next.stop();
  const pinned = await deployment.pin(PATCH, NEW);
  await deployment.setCurrent(OLD);
  await startNext();
  await startSome(1);
  const person = startPerson(world);
  await world.flows.ended(flows, END_WITHIN_MS);
  await person.stop();

  const charges = (await world.service.charges()).filter(({ reason }) => reason !== 'recurring');
  const ledger = await readRows(world);
  const findings = auditBooks({
    ledger,
    book: charges,
    asked: new Map(),
    decisionsAreTrue: true,
    subjectOf: { row: ({ workflowId }) => workflowId, charge: ({ about = '' }) => about },
  }).filter(({ kind }) => kind === 'paid twice');
  const histories = await readHistories(world, say);
  const notEnded = flows.filter(({ end }) => end === undefined);
  if (notEnded.length > 0) {
    say(`not ended: ${JSON.stringify(await statesOf(world, notEnded))}`);
    for (const text of await waitingFor(world, notEnded)) say(text);
  }
  const figures = {
    flows: flows.length,
    ...histories,
    charges: charges.length,
    doubles: findings.length,
    notEnded: notEnded.length,
    done: flows.filter(({ end }) => end?.kind === 'done').length,
    parked: flows.filter(({ parked }) => parked.length > 0).length,
    phases,
    pinned,
  };
  const problems = [
    ...findings.map(({ text }) => text),
    ...notEnded.map(({ workflowId, label }) => `${label} ${workflowId} has not ended`),
  ];
  return {
    figures,
    problems,
    broken: notZero(figures, ['doubles', 'notEnded', 'nondeterminism', 'otherTaskFailures']),
  };
}

/**
 * Some calls are answered slowly, some are charged and never answered, and the status reads that could show how a refresh
 * ended fail too, so that every phase occurs.
 */
async function makeTrouble({ service }: World, count: number): Promise<void> {
  const times = Math.ceil(count / 60);
  for (const operation of ['getCase', 'requestRefresh', 'searchTerm', 'listLawyerCases', 'createCaseMonitor']) {
    await service.arm({ operation, fault: 'F7', ms: 1_500, times, after: 1 });
    await service.arm({ operation, fault: 'F4', times, after: 2 });
  }
  await service.arm({ operation: 'getRefreshStatus', fault: 'status', status: 503, times: times * 3 });
}

/** The compiled flows with one file replaced. */
async function bundleNextBuild({ env }: World): Promise<string> {
  const workflows = join(packageRoot(), 'dist', 'src', 'workflows');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(workflows, 'versioned.js'),
    payloadConverterPath: join(workflows, 'converter', 'own-worker.js'),
    logger: new DefaultLogger('ERROR'),
    webpackConfigHook: (webpack) => {
      const alias = {
        ...(webpack.resolve?.alias as object),
        './flow/begin-flow.js$': join(__dirname, 'next-build.js'),
      };
      return { ...webpack, resolve: { ...webpack.resolve, alias } };
    },
  });
  const codePath = `${env['TRAMITA_FILES_DIR'] ?? ''}-next-build.js`;
  writeFileSync(codePath, code);
  return codePath;
}

/** Counts the states that running flows report. */
async function statesOf({ client }: World, flows: readonly Flow[]): Promise<Readonly<Record<string, number>>> {
  const states: Record<string, number> = { ended: 0 };
  await Promise.all(
    flows.map(async ({ end, workflowId }) => {
      const progress = end === undefined ? await progressWithin(client, workflowId, 5_000) : undefined;
      const state = end === undefined ? (progress?.state ?? 'not asked') : 'ended';
      states[state] = (states[state] ?? 0) + 1;
    }),
  );
  return states;
}

/** Activities that flows wait for, with their last failure; each kind once. */
async function waitingFor({ client }: World, flows: readonly Flow[]): Promise<ReadonlySet<string>> {
  const texts = await Promise.all(
    flows.map(async ({ workflowId }) => {
      const { raw } = await client.workflow.getHandle(workflowId).describe();
      return (raw.pendingActivities ?? []).map(
        ({ activityType, lastFailure }) => `${activityType?.name ?? ''} is tried again: ${lastFailure?.message ?? ''}`,
      );
    }),
  );
  return new Set(texts.flat());
}

/** Reads every run on the queue, including workflows that flows have started: failed tasks, and the versions that ran it. */
async function readHistories({ client, taskQueue }: World, say: (text: string) => void) {
  const found = { runs: 0, nondeterminism: 0, otherTaskFailures: 0, byOld: 0, byNew: 0, byBoth: 0 };
  for await (const { history } of client.workflow.list({ query: `TaskQueue='${taskQueue}'` }).intoHistories()) {
    found.runs += 1;
    const builds = new Set<string>();
    for (const { workflowTaskFailedEventAttributes: failed, workflowTaskCompletedEventAttributes: taken } of (
      history as History
    ).events ?? []) {
      const buildId = taken?.deploymentVersion?.buildId ?? '';
      if (buildId !== '') builds.add(buildId);
      const { message = '' } = failed?.failure ?? {};
      if (failed?.cause === NONDETERMINISM) found.nondeterminism += 1;
      else if (message !== '') found.otherTaskFailures += 1;
      if (message !== '') say(`a task failed: ${message}`);
    }
    if (builds.size > 1) found.byBoth += 1;
    else if (builds.has(NEW)) found.byNew += 1;
    else found.byOld += 1;
  }
  return found;
}
