/** Loaded into the workflow bundle of the deliberate defects only: other activity options, where a flow's memo asks for them. */
import { workflowInfo, type WorkflowInterceptorsFactory } from '@temporalio/workflow';

interface OtherOptions {
  readonly maximumAttempts?: number;
  readonly startToCloseMs?: number;
}

export const interceptors: WorkflowInterceptorsFactory = () => ({
  outbound: [
    {
      scheduleActivity: (input, next) => {
        const other = (workflowInfo().memo?.['defect'] ?? {}) as OtherOptions;
        if (input.options.taskQueue?.includes('-charged-') !== true) return next(input);
        return next({
          ...input,
          options: {
            ...input.options,
            ...(other.startToCloseMs === undefined ? {} : { startToCloseTimeout: other.startToCloseMs }),
            ...(other.maximumAttempts === undefined
              ? {}
              : { retry: { maximumAttempts: other.maximumAttempts, initialInterval: 100 } }),
          },
        });
      },
    },
  ],
});
