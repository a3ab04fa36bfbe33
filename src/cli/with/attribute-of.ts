/** A search attribute of a flow as text; null where it has none. */
import type { WorkflowExecutionInfo } from '@temporalio/client';

export function attributeOf(flow: Pick<WorkflowExecutionInfo, 'typedSearchAttributes'>, name: string): string | null {
  const value: unknown = flow.typedSearchAttributes.getAll().find(({ key }) => key.name === name)?.value;
  return typeof value === 'string' ? value : null;
}
