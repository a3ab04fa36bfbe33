/**
 * Fails a test file that leaves listening sockets behind, because a leaked server or worker can falsify the results of later
 * files. Client sockets may take a moment to close and are not counted.
 */
import { Server } from 'node:net';

interface ProcessWithHandles {
  _getActiveHandles(): unknown[];
}

afterAll(async () => {
  const deadline = Date.now() + 10_000;
  while (listening() > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  const left = listening();
  if (left > 0) throw new Error(`${left} server socket(s) are still listening at the end of this test file`);
});

function listening(): number {
  const handles = (process as unknown as ProcessWithHandles)._getActiveHandles();
  return handles.filter((handle) => handle instanceof Server && handle.listening).length;
}
