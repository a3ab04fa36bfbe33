/**
 * The search attributes are registered before any flow runs, where the server lets us; otherwise the worker refuses to start.
 */
import type { Connection } from '@temporalio/client';
import {
  aboutNamespace,
  hasGrpcCode,
  isRefused,
  KEYWORD,
  missingSearchAttributes,
  noNamespaceText,
  notRegisteredText,
  refusedText,
} from '../temporal-client/index.js';

const NOT_FOUND = 5;

export async function ensureSearchAttributes(
  connection: Pick<Connection, 'operatorService' | 'withMetadata'>,
  namespace: string,
): Promise<void> {
  const absent = await missingSearchAttributes(connection, namespace).catch((error: unknown) => {
    if (isRefused(error)) throw new Error(`tramita: ${refusedText(namespace)}`);
    if (!hasGrpcCode(error, NOT_FOUND)) throw error;
    throw new Error(`tramita: ${noNamespaceText('Temporal', namespace)}`);
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
