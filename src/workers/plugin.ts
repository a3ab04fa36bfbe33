/**
 * For a worker of the user's own: adds our activities and our housekeeping to it. A plugin cannot add workflows, so the user's
 * bundle re-exports `tramita/workflow`. The plugin goes on one worker for `config.taskQueue` and, per account, on one worker
 * with `chargedWorkerOptions` (nobody else takes the charged calls) and one with `pollsWorkerOptions` (without it, polls stay
 * on the flows' own queue, without a rate). For the legacy search, the user adds a worker per entry of `legacyWorkerOptions`.
 * The plugin never replaces an activity or a payload converter of the user's; it adds interceptors only if traces are on.
 */
import type { ClientOptions } from '@temporalio/client';
import { SimplePlugin } from '@temporalio/plugin';
import type { BundleOptions, Worker, WorkerOptions } from '@temporalio/worker';
import type { ActivityLog } from '../activities/index.js';
import type { Config, TemporalConnection } from '../config/index.js';
import { present } from '../contract/values/index.js';
import type { Housekeeping } from './housekeeping.js';
import { withLongTasks } from './long-tasks.js';
import { createDataConverter, createLenientDataConverter } from '../temporal-client/index.js';
import type { Traces } from '../traces/index.js';
import { tracedBundleOptions, tracedClientOptions, tracedWorkerOptions } from './with-traces.js';
import { openWorkerParts, type WorkerParts } from './worker-parts.js';
import { USERS_PAYLOAD_CONVERTER, USERS_SHARED_MODULES } from './workflow-bundle.js';

const PLUGIN_NAME = 'tramita.TramitaPlugin';

/** What the plugin takes: the configuration, where Temporal is, where to log. */
export interface TramitaPluginOptions {
  readonly config: Config;
  /** For `wake` signals; its namespace must be that of the workers. */
  readonly temporal: TemporalConnection;
  readonly log: ActivityLog;
}

/**
 * Adds the activities and the housekeeping of tramita to workers of your own. Opens nothing before a worker runs; closes
 * everything when the last of its workers has ended, and cannot be used again then.
 *
 * @throws `tramita: …` when the configuration does not let a worker run.
 */
export class TramitaPlugin extends SimplePlugin {
  /**
   * What `tramita worker` gives at `/metrics`, as Prometheus text, for an address of the user's own: money, parked flows by
   * attention and age, holds of accounts. Never rejects; figures of a source that is away are missing.
   */
  readonly metrics: () => Promise<string>;
  readonly #serving: WorkerParts['serving'];
  readonly #readAs: WorkerParts['readAs'];
  readonly #temporal: TemporalConnection;
  readonly #nexus: { readonly taskQueue: string; readonly services: WorkerParts['nexusServices'] };
  readonly #traces: Traces | undefined;

  constructor(options: TramitaPluginOptions) {
    const parts = openWorkerParts(options);
    const { charged, free } = parts.activities;
    let running = 0;
    let housekeeping: Housekeeping | undefined;
    super({
      name: PLUGIN_NAME,
      activities: (existing) => mergeActivities(existing ?? {}, { ...charged, ...free }),
      dataConverter: (existing) =>
        createLenientDataConverter(options.temporal, {
          ...existing,
          payloadConverterPath: existing?.payloadConverterPath ?? USERS_PAYLOAD_CONVERTER,
        }),
      runContext: async (next) => {
        running += 1;
        try {
          await parts.check();
          housekeeping ??= parts.startHousekeeping();
          await next();
        } finally {
          running -= 1;
          if (running === 0) {
            await housekeeping?.stop();
            await parts.close();
          }
        }
      },
    });
    this.#temporal = options.temporal;
    this.#nexus = { taskQueue: options.config.taskQueue, services: parts.nexusServices };
    this.#traces = parts.traces;
    this.metrics = () => parts.metrics();
    this.#readAs = (converter) => parts.readAs(converter);
    this.#serving = (taskQueue, run) => parts.serving(taskQueue, run);
  }

  /** Serves Nexus on the queue that endpoints name, once: the plugin may be given twice, by the connection and by the worker. */
  override configureWorker(options: WorkerOptions): WorkerOptions {
    const configured = tracedWorkerOptions(withLongTasks(super.configureWorker(options)), this.#traces);
    const { nexusServices = [] } = configured;
    const missing = this.#nexus.services.filter((service) => !nexusServices.includes(service));
    return missing.length === 0 || configured.taskQueue !== this.#nexus.taskQueue
      ? configured
      : { ...configured, nexusServices: [...nexusServices, ...missing] };
  }

  override runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    const { taskQueue, loadedDataConverter } = worker.options;
    if (taskQueue === this.#nexus.taskQueue) this.#readAs(loadedDataConverter);
    return this.#serving(taskQueue, () => super.runWorker(worker, next));
  }

  /** A client keeps its payload converter, because only what workers decode can block a flow. It encrypts as the workers do. */
  override configureClient(options: ClientOptions): ClientOptions {
    const traced = tracedClientOptions(options, this.#traces);
    const { dataConverter = {} } = options;
    if (typeof dataConverter !== 'object' || this.#temporal.payloadKeys === undefined) return traced;
    return { ...traced, dataConverter: createDataConverter(this.#temporal, dataConverter) };
  }

  /** Also called by `bundleWorkflowCode({ plugins })`: a bundle that is built ahead must contain the converter. */
  override configureBundler(options: BundleOptions): BundleOptions {
    const configured = tracedBundleOptions(super.configureBundler(options), this.#traces);
    const preloadModules = [...new Set([...USERS_SHARED_MODULES, ...(configured.preloadModules ?? [])])];
    const { payloadConverterPath = USERS_PAYLOAD_CONVERTER, failureConverterPath } = configured;
    const converter = createLenientDataConverter(
      this.#temporal,
      present({ payloadConverterPath, failureConverterPath }),
    );
    return {
      ...configured,
      preloadModules,
      ...present({ payloadConverterPath, failureConverterPath: converter.failureConverterPath }),
    };
  }
}

/**
 * Accepts the same activities twice (a plugin given to the connection and to the worker). Refuses another activity under one of
 * our names: our flows would spend money through it. Pure.
 */
export function mergeActivities(existing: object, ours: object): object {
  const byName = new Map(Object.entries(ours));
  for (const [name, activity] of Object.entries(existing)) {
    if (byName.has(name) && byName.get(name) !== activity) {
      throw new Error(`tramita: the worker already has an activity "${name}"; rename it, this name is tramita's`);
    }
  }
  return { ...existing, ...ours };
}
