/** A worker in this process whose parts can be wrapped, and the flows, service and person that it works for. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DefaultLogger, Worker, bundleWorkflowCode, type WorkflowBundle } from '@temporalio/worker';
import { createActivities, type ActivityDeps } from '../../../src/activities/index.js';
import { resolveConfig } from '../../../src/config/index.js';
import { chargedTaskQueue } from '../../../src/protocol/index.js';
import { connectNative } from '../../../src/workers/connect-temporal.js';
import { openWorkerParts } from '../../../src/workers/worker-parts.js';
import { auditFlows, type Audited } from '../../../soak/books.js';
import { createAsks, type Ask, type Asks } from '../../../soak/calls/asks.js';
import { createFlowBook, type FlowBook } from '../../../soak/flow-book.js';
import { startPerson } from '../../../soak/person.js';
import { startService, type Service } from '../../../soak/service.js';
import { temporal, type Flows } from '../../flows/with-flows.js';
import type { Defect } from './defects.js';

/** Stages share one ledger, so no stage may make a call that another one has made. */
let stages = 0;
const CALLS_PER_STAGE = 1_000;
const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface Stage {
  readonly service: Service;
  readonly flows: FlowBook;
  readonly asks: Asks;
  start(ask: Ask, label?: string): Promise<unknown>;
  /** Waits until all flows have ended, and returns what the auditor finds. */
  audited(withinMs?: number): Promise<Audited>;
}

/** Bundles the flows and the interceptor from TypeScript, once per test file. */
export function bundleWithInterceptor(): Promise<WorkflowBundle> {
  return bundleWorkflowCode({
    workflowsPath: join(__dirname, '..', '..', '..', 'src', 'workflows', 'index.ts'),
    workflowInterceptorModules: [join(__dirname, 'options-interceptor.ts')],
    logger: new DefaultLogger('ERROR'),
  });
}

/** A service, a ledger view and a worker of its own for one defect; everything is closed again when `act` returns. */
export async function onStage<T>(
  world: { readonly flows: Flows; readonly bundle: WorkflowBundle },
  defect: Pick<Defect, 'deps' | 'charged' | 'options'>,
  act: (stage: Stage) => Promise<T>,
): Promise<T> {
  const { client, database, env } = world.flows;
  stages += 1;
  const service = await startService('default');
  const taskQueue = `defect-${randomBytes(4).toString('hex')}`;
  const config = resolveConfig({
    env: { ...env, TRAMITA_API_URL: service.sandbox.url, TRAMITA_TASK_QUEUE: taskQueue },
  });
  const parts = openWorkerParts({ config, temporal: temporal(), log: QUIET });
  const native = await connectNative(temporal(), { waitMs: 30_000, log: QUIET });
  const deps: ActivityDeps = defect.deps?.(parts.deps) ?? parts.deps;
  const activities = createActivities(deps);
  const charged = defect.charged?.(activities.charged) ?? activities.charged;
  const common = { connection: native, shutdownGraceTime: 1_000, shutdownForceTime: 30_000 };
  const workers = await Promise.all([
    Worker.create({ ...common, taskQueue, activities: { ...activities.free }, workflowBundle: world.bundle }),
    Worker.create({ ...common, taskQueue: chargedTaskQueue(taskQueue, 'default'), activities: { ...charged } }),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  const flows = createFlowBook({ client, taskQueue });
  const person = startPerson({ client, db: database.db, taskQueue, flows });
  try {
    return await act({
      service,
      flows,
      asks: createAsks(config.gaps, stages * CALLS_PER_STAGE),
      start: (ask, label = 'defect') =>
        flows.start({ ...ask, label, ...(defect.options === undefined ? {} : { memo: { defect: defect.options } }) }),
      audited: async (withinMs = 90_000) => {
        if (!(await flows.ended(flows.all(), withinMs))) throw new Error('a flow has not ended');
        return auditFlows({ db: database.db, config }, flows.all());
      },
    });
  } finally {
    await person.stop();
    for (const worker of workers) worker.shutdown();
    await running;
    await Promise.allSettled([native.close(), parts.close(), service.sandbox.close()]);
  }
}
