/** Servers that several stacks share, for a global set-up of jest or vitest. */
import { checkServersOptions } from './check-options.js';
import { startHost } from './host-link.js';
import type { ServersFacts } from './messages.js';
import type { TestServerAddresses, TestServers, TestStackOptions } from './types.js';

/** For the processes of the test files, which inherit the environment. Not `TRAMITA_…`: unknown settings are refused. */
const VARIABLE = 'TESTING_TRAMITA_SERVERS';

/**
 * Starts a Temporal server and a PostgreSQL for all test files of a run. Call it in the global set-up: processes that begin
 * afterwards find them by the environment, and every {@link createTestStack} in them makes a namespace and a database of its own.
 *
 * @throws `tramita: …` when a server cannot be started; it says what to install.
 */
export async function startTestServers(options: Pick<TestStackOptions, 'onProgress'> = {}): Promise<TestServers> {
  checkServersOptions(options);
  const { onProgress } = options;
  const { link, ready } = await startHost({ task: (folder) => ({ kind: 'servers', folder }), onProgress });
  const { temporalAddress, databaseUrl, uiUrl } = ready.facts as ServersFacts;
  const text = JSON.stringify({ temporalAddress, databaseUrl } satisfies TestServerAddresses);
  process.env[VARIABLE] = text;
  return {
    temporalAddress,
    databaseUrl,
    uiUrl,
    stop: async () => {
      if (process.env[VARIABLE] === text) Reflect.deleteProperty(process.env, VARIABLE);
      await link.stop();
    },
  };
}

/** The servers of this run's global set-up. */
export function sharedServers(): TestServerAddresses | undefined {
  const text = process.env[VARIABLE] ?? '';
  return text === '' ? undefined : (JSON.parse(text) as TestServerAddresses);
}
