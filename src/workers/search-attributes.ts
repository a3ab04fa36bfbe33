/**
 * The search attributes are registered before any flow runs, where the server lets us; otherwise the worker refuses to start.
 */
import type { Connection } from '@temporalio/client';
import {
  aboutNamespace,
  isRefused,
  KEYWORD,
  missingSearchAttributes,
  notRegisteredText,
  refusedText,
} from '../temporal-client/index.js';

export async function ensureSearchAttributes(
  connection: Pick<Connection, 'operatorService' | 'withMetadata'>,
  namespace: string,
): Promise<void> {
  const absent = await missingSearchAttributes(connection, namespace).catch((error: unknown) => {
    throw isRefused(error) ? new Error(`tramita: ${refusedText(namespace)}`) : error;
  });
  if (absent.length === 0) return;
  try {
    const searchAttributes = Object.fromEntries(absent.map((name) => [name, KEYWORD]));
    await aboutNamespace(connection, namespace, (service) =>
      service.addSearchAttributes({ namespace, searchAttributes }),
    );
  } catch {
    // Not allowed to, or already there with another type: the look below decides and says what to do.
  }
  const left = await missingSearchAttributes(connection, namespace);
  if (left.length === 0) return;
  throw new Error(notRegisteredText(left, namespace));
}
