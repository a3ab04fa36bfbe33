/** `tramita worker`: runs flows and activities until it is stopped; then it waits for charged calls in flight. */
import type { Command } from 'commander';
import { preflight, workerProblems } from '../../config/index.js';
import { present } from '../../contract/values/index.js';
import type { Readiness } from '../../workers/index.js';
import type { CommandSetup } from '../context.js';
import { createLog } from '../output/log.js';
import { JSON_OPTION, printJson, type JsonFlag } from '../output/output.js';
import { writeTo } from '../output/runtime-logger.js';
import { openSdkMetrics } from '../sdk-metrics.js';
import { serveHealth } from '../serve-health.js';
import { readConfigToShow, readTemporal, refuseProblems } from '../with/settings.js';
import { listenForSignals } from '../listen-for-signals.js';

export function addWorkerCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('worker')
    .description('run workflows and activities; logs are JSON lines on stderr')
    .option(...JSON_OPTION)
    .action(
      run(async ({ json }: JsonFlag) => {
        const config = readConfigToShow(context);
        refuseProblems(workerProblems(config));
        const temporal = readTemporal(context);
        const log = createLog({ program: 'worker', level: config.logLevel });
        for (const warning of preflight(config)) log.warn({}, warning);
        // loaded here: most commands do not need the native core
        const { DefaultLogger, Runtime } = await import('@temporalio/worker');
        const { createWorker } = await import('../../workers/index.js');
        const listen = config.workerOpsListen;
        const sdk = listen === undefined ? undefined : await openSdkMetrics();
        Runtime.install({
          logger: new DefaultLogger('TRACE', writeTo(log)),
          telemetryOptions: {
            logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
            ...present({ metrics: sdk?.exporter }),
          },
          shutdownSignals: [],
        });

        const signals = listenForSignals();
        let readiness: (() => Promise<Readiness>) | undefined;
        let metrics: (() => Promise<string>) | undefined;
        const health =
          listen === undefined
            ? undefined
            : await serveHealth({ listen, readiness: () => readiness?.(), metrics: () => metrics?.() });
        try {
          const worker = await createWorker({ config, temporal, log });
          metrics = async () => `${await worker.metrics()}\n${(await sdk?.text()) ?? ''}`;
          void signals.started().then((signal) => {
            readiness = undefined;
            log.info({ signal }, 'worker is stopping: it waits for charged calls in flight');
            worker.shutdown();
          });
          readiness = () => worker.readiness();
          log.info({ taskQueues: worker.taskQueues.join(', '), temporal: temporal.address }, 'worker runs');
          if (json === true) printJson(context, { ready: true, taskQueues: worker.taskQueues });
          await worker.run();
          log.info({}, 'worker has stopped');
        } finally {
          signals.forget();
          await health?.close();
        }
      }),
    );
}
