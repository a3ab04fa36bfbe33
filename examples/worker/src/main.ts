/** The workers against the stack that the environment names, until SIGTERM or SIGINT. */
import { startWorkers } from './worker.js';

void startWorkers(process.env).then((workers) => {
  // `on`, not `once`: the same signal often comes twice, and an unhandled second one would kill calls in progress.
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => workers.stop());
  return workers.ended;
});
