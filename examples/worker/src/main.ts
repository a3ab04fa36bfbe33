/** The workers against the stack that the environment names, until SIGTERM. */
import { startWorkers } from './worker.js';

void startWorkers(process.env).then((workers) => {
  process.once('SIGTERM', () => workers.stop());
  return workers.ended;
});
