/** What the search attributes of a flow say: they need no worker. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../protocol/index.js';

type Flow = Pick<WorkflowExecutionInfo, 'typedSearchAttributes'>;

export function attentionOf(flow: Flow): string | null {
  return attributeOf(flow, SEARCH_ATTRIBUTES.attention);
}

/** As text; null where it has none. */
export function attributeOf(flow: Flow, name: string): string | null {
  const value: unknown = flow.typedSearchAttributes.getAll().find(({ key }) => key.name === name)?.value;
  return typeof value === 'string' ? value : null;
}
