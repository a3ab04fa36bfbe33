/** Starts a compiled program with `--json` and waits until it says that it is ready. Throws its log when it ends before. */
import { launchTramita, untilReady } from '../support/launch.js';

interface Started {
  readonly log: () => string;
  /** SIGTERM; resolves when it has ended. */
  stop(): Promise<void>;
  /** SIGKILL, where it still runs. */
  kill(): void;
}

export async function startCommand(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Started> {
  const launched = launchTramita(args, env);
  const { child, err, ended } = launched;
  await untilReady(launched, args.join(' ')).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    log: err,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
