/** What the search attributes of a flow tell, which need no worker. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { SEARCH_ATTRIBUTES, type Attention } from '../../protocol/index.js';

type Flow = Pick<WorkflowExecutionInfo, 'typedSearchAttributes'>;

/** Tells people something, and the flow goes on. */
const INFORMS: Attention = 'unexpected-charge';

/** Why a flow needs a person, by its attention; null where it needs none. */
export function needOf(attention: string | null): string | null {
  return attention === INFORMS ? null : attention;
}

export function attentionOf(flow: Flow): string | null {
  return attributeOf(flow, SEARCH_ATTRIBUTES.attention);
}

/** As text; null where it has none. */
export function attributeOf(flow: Flow, name: string): string | null {
  const value: unknown = flow.typedSearchAttributes.getAll().find(({ key }) => key.name === name)?.value;
  return typeof value === 'string' ? value : null;
}
