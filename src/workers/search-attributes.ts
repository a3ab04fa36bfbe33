/** Registers the search attributes before any flow runs. If the server does not allow that, the worker refuses to start. */
import type { Connection } from '@temporalio/client';
import {
  aboutNamespace,
  isNotFound,
  isRefused,
  KEYWORD,
  missingSearchAttributes,
  noNamespaceText,
  notRegisteredText,
  refusedText,
} from '../temporal-client/index.js';

export async function ensureSearchAttributes(
  connection: Pick<Connection, 'operatorService' | 'withMetadata'>,
  namespace: string,
): Promise<void> {
  const absent = await missingSearchAttributes(connection, namespace).catch((error: unknown) => {
    if (isRefused(error)) throw new Error(`tramita: ${refusedText(namespace)}`);
    if (!isNotFound(error)) throw error;
    throw new Error(`tramita: ${noNamespaceText('Temporal', namespace)}`);
  });
  if (absent.length === 0) return;
  try {
    const searchAttributes = Object.fromEntries(absent.map((name) => [name, KEYWORD]));
    await aboutNamespace(connection, namespace, (service) =>
      service.addSearchAttributes({ namespace, searchAttributes }),
    );
  } catch {
    // Not allowed, or registered with another type: the check below decides, and its error says what to do.
  }
  const left = await missingSearchAttributes(connection, namespace);
  if (left.length === 0) return;
  throw new Error(notRegisteredText(left, namespace));
}
