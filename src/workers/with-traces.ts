/** Adds traces to a user's options: before the user's interceptors, and only once, however often a plugin is given. Pure. */
import type { ClientOptions } from '@temporalio/client';
import type { BundleOptions, WorkerOptions } from '@temporalio/worker';
import type { Traces } from '../traces/index.js';

export function tracedWorkerOptions(options: WorkerOptions, traces: Traces | undefined): WorkerOptions {
  if (traces === undefined) return options;
  const { interceptors, sinks } = options;
  return {
    ...options,
    sinks: { ...sinks, ...traces.sinks },
    interceptors: {
      ...interceptors,
      activity: merged(traces.activityInterceptors, interceptors?.activity),
      // A bundle that was built ahead has them already, by `tracedBundleOptions`.
      ...(options.workflowBundle === undefined
        ? { workflowModules: merged(traces.workflowModules, interceptors?.workflowModules) }
        : {}),
    },
  };
}

export function tracedBundleOptions(options: BundleOptions, traces: Traces | undefined): BundleOptions {
  if (traces === undefined) return options;
  return {
    ...options,
    workflowInterceptorModules: merged(traces.workflowModules, options.workflowInterceptorModules),
  };
}

export function tracedClientOptions(options: ClientOptions, traces: Traces | undefined): ClientOptions {
  if (traces === undefined) return options;
  const { workflow } = options.interceptors ?? {};
  // The deprecated form, with `calls`, is left as it is.
  if (workflow !== undefined && !Array.isArray(workflow)) return options;
  return {
    ...options,
    interceptors: { ...options.interceptors, workflow: merged(traces.clientInterceptors, workflow) },
  };
}

function merged<T>(ours: readonly T[], existing: readonly T[] = []): T[] {
  return [...ours.filter((each) => !existing.includes(each)), ...existing];
}
