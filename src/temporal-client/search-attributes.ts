/** Which of our search attributes a namespace lacks: an unregistered one makes every workflow task fail and retry. */
import type { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../protocol/index.js';

/** `temporal.api.enums.v1.IndexedValueType`: 2 is Keyword. */
export const KEYWORD = 2;

export async function missingSearchAttributes(
  connection: Pick<Connection, 'operatorService'>,
  namespace: string,
): Promise<readonly string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return Object.values(SEARCH_ATTRIBUTES).filter((name) => Number(customAttributes[name]) !== KEYWORD);
}
