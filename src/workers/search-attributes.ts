/**
 * The four search attributes must be registered before any flow runs: an unregistered one makes every workflow task fail and
 * retry. Registered here where the server lets us; otherwise the worker refuses to start.
 */
import type { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../protocol/index.js';

/** `temporal.api.enums.v1.IndexedValueType`: 2 is Keyword. */
const KEYWORD = 2;

export async function ensureSearchAttributes(
  connection: Pick<Connection, 'operatorService'>,
  namespace: string,
): Promise<void> {
  const names = Object.values(SEARCH_ATTRIBUTES);
  const missing = async (): Promise<string[]> => {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    return names.filter((name) => (customAttributes[name] as number | undefined) !== KEYWORD);
  };
  const absent = await missing();
  if (absent.length === 0) return;
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(absent.map((name) => [name, KEYWORD])),
    });
  } catch {
    // Not allowed to, or already there with another type: the look below decides and says what to do.
  }
  const left = await missing();
  if (left.length === 0) return;
  throw new Error(
    `tramita: search attributes ${left.join(', ')} are not registered as Keyword in namespace "${namespace}"; register them: ${left
      .map((name) => `temporal operator search-attribute create --namespace ${namespace} --name ${name} --type Keyword`)
      .join(' && ')}`,
  );
}
