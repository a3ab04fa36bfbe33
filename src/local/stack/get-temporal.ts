/** The Temporal server of a stack: the one that `TEMPORAL_ADDRESS` names, else one of its own with the search attributes. */
import { loadTemporalConnection } from '../../config/index.js';
import { present } from '../../contract/index.js';
import { SEARCH_ATTRIBUTES } from '../../protocol/index.js';
import { connectClientNow } from '../../temporal-client/index.js';
import { findTemporalServer } from '../temporal/find-temporal-server.js';
import { decideTemporalSource } from './server-source.js';
import type { StackContext } from './stack-context.js';
import { startTemporalServer } from '../temporal/temporal-server.js';

const CONNECT_WITHIN_MS = 5_000;

export interface TemporalPlace {
  readonly address: string;
  /** Absent if the server was already running, because then its UI is unknown. */
  readonly uiUrl?: string;
  /** Address of its HTTP API. Absent with {@link uiUrl}. */
  readonly httpUrl?: string;
  /** How to call the command line tool: its name if it is on PATH, else its path. Absent with {@link uiUrl}. */
  readonly tool?: string;
}

/** `codecUrl`: the codec server that the UI of a server of our own uses. */
export async function getTemporal(
  { stack, env, onProgress, shutdown, signal }: StackContext,
  codecUrl?: string,
): Promise<TemporalPlace> {
  const source = decideTemporalSource(env);
  if (source.kind === 'running') {
    onProgress({ about: 'temporal', kind: 'decision', text: `using the server at ${source.address}: ${source.why}` });
    await refuseAbsentTemporal(env);
    return { address: source.address };
  }
  const { executable, source: origin } = await findTemporalServer({ env, onProgress, signal });
  const temporal = await startTemporalServer({
    executable,
    dataDir: stack.dataDir('temporal'),
    logFile: stack.logFile('temporal'),
    env,
    signal,
    ...present({ codecUrl }),
    searchAttributes: Object.fromEntries(Object.values(SEARCH_ATTRIBUTES).map((name) => [name, 'Keyword'])),
    onSpawn: (identity) => stack.recordProcess({ name: 'temporal', identity }),
    onExit: ({ name, how, logFile }) => shutdown.request(`${name} ended (${how}); its log is ${logFile}`),
  });
  shutdown.add(temporal);
  onProgress({ about: 'temporal', kind: 'step', text: `runs at ${temporal.address}` });
  const { address, uiUrl, httpUrl } = temporal;
  return { address, uiUrl, httpUrl, tool: origin === 'path' ? 'temporal' : executable };
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
