/** A task of a flow may compute for long: the SDK's own limit may end the whole process instead of the task. */
import { TramitaPlugin } from '../../src/index.js';
import { resolveConfig } from '../../src/config/index.js';
import { withLongTasks } from '../../src/workers/long-tasks.js';

/** Of the SDK, as its worker uses it: the option is not in its types, so an update may drop it. */
const { compileWorkerOptions } = jest.requireActual<{
  compileWorkerOptions: (options: object, log: object, meter: object) => { readonly isolateExecutionTimeoutMs: number };
}>('@temporalio/worker/lib/worker-options');
const { noopMetricMeter } = jest.requireActual<{ noopMetricMeter: object }>('@temporalio/common');

const SERVERS_LIMIT_MS = 10_000;
const silent = (): void => undefined;
const log = { info: silent, warn: silent, error: silent, debug: silent, trace: silent };
const limitOf = (options: object): number =>
  compileWorkerOptions(options, log, noopMetricMeter).isolateExecutionTimeoutMs;

describe('a task of a flow', () => {
  it('has more time than the server gives it, as the SDK reads the option', () => {
    expect(limitOf(withLongTasks({ taskQueue: 'flows' }))).toBeGreaterThan(SERVERS_LIMIT_MS);
  });

  it('has it in a worker of the user too, who may set another limit', () => {
    const config = resolveConfig({
      env: {
        TRAMITA_API_URL: 'https://api.example.com',
        TRAMITA_API_KEY: 'key',
        TRAMITA_DATABASE_URL: 'postgresql://u:p@127.0.0.1:1/d',
        TRAMITA_ID_KEY: 'k'.repeat(40),
      },
    });
    const plugin = new TramitaPlugin({
      config,
      temporal: { address: '127.0.0.1:1', namespace: 'default', connectionOptions: { address: '127.0.0.1:1' } },
      log,
    });
    expect(limitOf(plugin.configureWorker({ taskQueue: 'flows' }))).toBeGreaterThan(SERVERS_LIMIT_MS);
    const own = { taskQueue: 'flows', isolateExecutionTimeout: '7s' };
    expect(limitOf(plugin.configureWorker(own))).toBe(7_000);
  });
});
