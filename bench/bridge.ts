/** Bench of the bridge. In progress. */
import { startServers } from './soak/servers.js';
import { measureThroughput } from './bridge-throughput.js';

async function main(): Promise<void> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const servers = await startServers();
  try {
    const throughput = await measureThroughput({
      databaseUrl: servers.databaseUrl,
      pairs: 5,
      forMs: 3_000,
      connections: 32,
      seed: 1,
      say,
    });
    process.stdout.write(`${JSON.stringify(throughput)}\n`);
  } finally {
    await servers.stop();
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(2);
  },
);
