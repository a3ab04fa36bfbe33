/** The Temporal server of a stack: the one that `TEMPORAL_ADDRESS` names, else one of its own with the search attributes. */
import { loadTemporalConnection } from '../../config/index.js';
import { connectClientNow } from '../../temporal-client/index.js';
import { startOwnTemporal, type OwnTemporal } from './own-servers.js';
import { variableIn, type ServerContext } from './stack-context.js';

const CONNECT_WITHIN_MS = 5_000;

/** Of a server that was already running only the address is known. */
export type TemporalPlace = Pick<OwnTemporal, 'address'> & Partial<Pick<OwnTemporal, 'uiUrl' | 'httpUrl' | 'tool'>>;

/** `codecUrl`: the codec server that the UI of a server of our own uses. */
export async function getTemporal(context: ServerContext, codecUrl?: string): Promise<TemporalPlace> {
  const { env, onProgress } = context;
  const given = variableIn(env, 'TEMPORAL_ADDRESS');
  if (given !== undefined) {
    onProgress({ about: 'temporal', kind: 'decision', text: `using the server at ${given}: TEMPORAL_ADDRESS is set` });
    await refuseAbsentTemporal(env);
    return { address: given };
  }
  const { address, uiUrl, httpUrl, tool } = await startOwnTemporal(context, codecUrl);
  onProgress({ about: 'temporal', kind: 'step', text: `runs at ${address}` });
  return { address, uiUrl, httpUrl, tool };
}

async function refuseAbsentTemporal(env: NodeJS.ProcessEnv): Promise<void> {
  const temporal = loadTemporalConnection(env);
  try {
    await (await connectClientNow(temporal, CONNECT_WITHIN_MS)).close();
  } catch {
    throw new Error(
      `tramita: no Temporal server answers at ${temporal.address}; start it, or unset TEMPORAL_ADDRESS to get a local one`,
    );
  }
}
