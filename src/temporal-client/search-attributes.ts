/** Which of our search attributes a namespace lacks: an unregistered one makes every workflow task fail and retry. */
import type { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../protocol/index.js';

/** `temporal.api.enums.v1.IndexedValueType`: 2 is Keyword. */
export const KEYWORD = 2;

/** The error text for people, with the commands that register them. Pure. */
export function notRegisteredText(names: readonly string[], namespace: string): string {
  const commands = names.map(
    (name) => `temporal operator search-attribute create --namespace ${namespace} --name ${name} --type Keyword`,
  );
  return `tramita: search attributes ${names.join(', ')} are not registered as Keyword in namespace "${namespace}"; register them: ${commands.join(' && ')}`;
}

/** Sends the namespace in a header, by which Temporal Cloud routes the call. The SDK sets it only for workflow calls. */
export function aboutNamespace<T>(
  connection: Pick<Connection, 'operatorService' | 'withMetadata'>,
  namespace: string,
  ask: (service: Connection['operatorService']) => Promise<T>,
): Promise<T> {
  return connection.withMetadata({ 'temporal-namespace': namespace }, () => ask(connection.operatorService));
}

export async function missingSearchAttributes(
  connection: Pick<Connection, 'operatorService' | 'withMetadata'>,
  namespace: string,
): Promise<readonly string[]> {
  const { customAttributes } = await aboutNamespace(connection, namespace, (service) =>
    service.listSearchAttributes({ namespace }),
  );
  return Object.values(SEARCH_ATTRIBUTES).filter((name) => Number(customAttributes[name]) !== KEYWORD);
}
