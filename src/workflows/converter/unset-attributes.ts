/**
 * A start may give a search attribute as `binary/null`. The server takes it as unset, but the SDK expects JSON there and fails
 * the first task of the run forever. No option and no interceptor runs before that, so the run's own activator is changed to
 * leave out unset attributes. If a version of the SDK has no such method, nothing is changed.
 */
import { inWorkflowContext } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes';

type Initialize = ReturnType<typeof getActivator>['initializeWorkflow'];

export function leaveOutUnsetAttributes(): void {
  if (!inWorkflowContext()) return;
  const activator = getActivator();
  // A second converter of this run, from a user's module beside ours, finds this done.
  if (!('initializeWorkflow' in activator) || Object.hasOwn(activator, 'initializeWorkflow')) return;
  const initialize: Initialize = activator.initializeWorkflow.bind(activator);
  const value: Initialize = (start) => {
    const fields = Object.entries(start.searchAttributes?.indexedFields ?? {});
    const indexedFields = Object.fromEntries(fields.filter(([, { data }]) => (data?.length ?? 0) > 0));
    initialize({ ...start, searchAttributes: { indexedFields } });
  };
  // Objects that the SDK shares between runs are frozen, so the method is defined on this run's activator.
  Object.defineProperty(activator, 'initializeWorkflow', { value });
}
