/** Reads search attributes of a flow, which the server returns without a worker. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../protocol/index.js';

type Flow = Pick<WorkflowExecutionInfo, 'typedSearchAttributes'>;

export function attentionOf(flow: Flow): string | null {
  return attributeOf(flow, SEARCH_ATTRIBUTES.attention);
}

/** Null if the flow has no such attribute with a text. */
export function attributeOf(flow: Flow, name: string): string | null {
  const value: unknown = flow.typedSearchAttributes.getAll().find(({ key }) => key.name === name)?.value;
  return typeof value === 'string' ? value : null;
}
