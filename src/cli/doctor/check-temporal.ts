/** Is the server there, does it have the namespace, are the four search attributes registered? */
import type { Connection } from '@temporalio/client';
import type { TemporalConnection } from '../../config/index.js';
import { connectClientNow, missingSearchAttributes } from '../../temporal-client/index.js';
import type { Finding } from './finding.js';

const WITHIN_MS = 5_000;

export async function checkTemporal(temporal: TemporalConnection): Promise<readonly Finding[]> {
  const about = 'Temporal';
  const { address, namespace } = temporal;
  let connection: Connection;
  try {
    connection = await connectClientNow(temporal, WITHIN_MS);
  } catch {
    return [{ about, state: 'failed', text: `no server answers at ${address}; set TEMPORAL_ADDRESS` }];
  }
  try {
    return await connection.withDeadline(Date.now() + WITHIN_MS, async () => {
      const { config } = await connection.workflowService.describeNamespace({ namespace });
      const kept = config?.workflowExecutionRetentionTtl?.seconds;
      const found: Finding = { about, state: 'ok', text: `${address}, namespace "${namespace}"` };
      const histories: Finding = {
        ...{ about: 'retention', state: 'ok' },
        text: `histories of ended flows: ${kept === undefined || kept === null ? 'not told' : `${Number(kept) / 86_400}d`}, by the namespace`,
      };
      return [found, histories, ...(await checkSearchAttributes(connection, namespace)), checkEncryption(temporal)];
    });
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    const text = `${address} does not give namespace "${namespace}" (gRPC code ${String(code)}); set TEMPORAL_NAMESPACE, or create it`;
    return [{ about, state: 'failed', text }];
  } finally {
    await connection.close();
  }
}

async function checkSearchAttributes(connection: Connection, namespace: string): Promise<readonly Finding[]> {
  const about = 'search attributes';
  const missing = await missingSearchAttributes(connection, namespace);
  return missing.length === 0
    ? [{ about, state: 'ok', text: 'all registered' }]
    : [{ about, state: 'warning', text: `${missing.join(', ')} not registered; the worker does it where it may` }];
}

/** No problem by itself: a choice that people should know of. */
function checkEncryption({ payloadKeys }: TemporalConnection): Finding {
  const about = 'payloads';
  const written = payloadKeys?.writes?.id;
  return {
    ...{ about, state: 'ok' },
    text:
      written === undefined
        ? 'written in clear, readable in Temporal; TRAMITA_PAYLOAD_KEYS encrypts'
        : `encrypted with the key "${written}"`,
  };
}
