/**
 * A start may give a search attribute as `binary/null`: the server takes it as unset, and the SDK, which expects JSON there, fails
 * the first task of the run forever. No option and no interceptor comes before that, so the run's own activator is made to leave
 * unset attributes out. Where an SDK has no such method, nothing is changed.
 */
import { inWorkflowContext } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes';

type Initialize = ReturnType<typeof getActivator>['initializeWorkflow'];

export function leaveOutUnsetAttributes(): void {
  if (!inWorkflowContext()) return;
  const activator = getActivator();
  // a second converter of this run, which a user's module makes beside ours, finds it done
  if (!('initializeWorkflow' in activator) || Object.hasOwn(activator, 'initializeWorkflow')) return;
  const initialize: Initialize = activator.initializeWorkflow.bind(activator);
  const value: Initialize = (start) => {
    const fields = Object.entries(start.searchAttributes?.indexedFields ?? {});
    const indexedFields = Object.fromEntries(fields.filter(([, { data }]) => (data?.length ?? 0) > 0));
    initialize({ ...start, searchAttributes: { indexedFields } });
  };
  // What the SDK shares between runs is frozen: the method becomes one of only this run.
  Object.defineProperty(activator, 'initializeWorkflow', { value });
}
