/**
 * The search attributes are registered before any flow runs, where the server lets us; otherwise the worker refuses to start.
 */
import type { Connection } from '@temporalio/client';
import { KEYWORD, missingSearchAttributes, notRegisteredText } from '../temporal-client/index.js';

export async function ensureSearchAttributes(
  connection: Pick<Connection, 'operatorService'>,
  namespace: string,
): Promise<void> {
  const absent = await missingSearchAttributes(connection, namespace);
  if (absent.length === 0) return;
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(absent.map((name) => [name, KEYWORD])),
    });
  } catch {
    // Not allowed to, or already there with another type: the look below decides and says what to do.
  }
  const left = await missingSearchAttributes(connection, namespace);
  if (left.length === 0) return;
  throw new Error(notRegisteredText(left, namespace));
}
