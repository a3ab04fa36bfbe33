/** Runs a stack of PostgreSQL (not with `alone`) and one `sleep` in the given folder, prints `up`, and runs until a signal. */
import { claimStack, startPostgres, superviseProcess, withShutdown } from '../../../src/local/index.js';

const [, , root = '', startsPostgres = 'with-postgres'] = process.argv;
const env = process.env;
const onProgress = ({ text }: { text: string }): void => void process.stdout.write(`${text}\n`);

withShutdown({
  onProgress,
  body: async (shutdown) => {
    const stack = await claimStack({ root, onProgress });
    shutdown.add({ name: 'stack record', stop: stack.release });
    if (startsPostgres === 'with-postgres') {
      const postgres = await startPostgres({
        dataDir: stack.dataDir('postgres'),
        logFile: stack.logFile('postgres'),
        env,
        onProgress,
        onSpawn: (identity) => stack.recordProcess({ name: 'postgres', identity, stopSignal: 'SIGINT' }),
        onExit: () => shutdown.request('postgres'),
      });
      shutdown.add({ name: 'postgres', ...postgres });
      process.stdout.write(`url ${postgres.url}\n`);
    }
    const sleeper = await superviseProcess({
      name: 'sleeper',
      command: '/bin/sleep',
      args: ['600'],
      env,
      logFile: stack.logFile('sleeper'),
      onSpawn: (identity) => stack.recordProcess({ name: 'sleeper', identity }),
      onExit: ({ name, how }) => shutdown.request(`${name}: ${how}`),
    });
    shutdown.add(sleeper);
    process.stdout.write('up\n');
    await shutdown.requested;
  },
}).then(
  (result) => process.stdout.write(`end ${JSON.stringify(result)}\n`),
  (error: unknown) => {
    process.stdout.write(`failed ${String(error)}\n`);
    process.exitCode = 1;
  },
);
