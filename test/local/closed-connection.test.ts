/** A connection is closed while one of its calls waits for a retry, in a process of its own that has to survive. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../src/local/index.js';

const SCRIPT = `
  const { Connection } = require('@temporalio/client');
  const { connectClient } = require(process.argv[1]);
  const temporal = { address: '127.0.0.1:1', connectionOptions: { address: '127.0.0.1:1' } };
  const connection = process.argv[2] === 'ours' ? connectClient(temporal) : Connection.lazy(temporal.connectionOptions);
  connection.workflowService.getSystemInfo({}).catch(() => undefined);
  setTimeout(() => connection.close(), 60);
  // Time for the retry that ends the process. With our interceptors the process survives all of it.
  setTimeout(() => process.exit(7), process.argv[2] === 'ours' ? 1500 : 20000);
`;

function run(which: 'ours' | 'theirs') {
  const door = join(packageRoot(), 'dist', 'src', 'temporal-client', 'index.js');
  return spawnSync(process.execPath, ['-e', SCRIPT, door, which], { cwd: packageRoot(), encoding: 'utf8' });
}

it('connectClient drops a retry that comes after its connection was closed', () => {
  const { status, stderr } = run('ours');
  expect({ status, stderr }).toEqual({ status: 7, stderr: '' });
});

it('a plain Temporal connection ends the process instead: once that is fixed, our interceptors may be removed', () => {
  const { status, stderr } = run('theirs');
  expect(status).not.toBe(7);
  expect(stderr).toContain('Channel has been shut down');
});
