/** The lines that a local stack prints; each command can be pasted unchanged. */
import { stackLines } from '../../src/cli/output/stack-lines.js';
import type { LocalStack } from '../../src/local/index.js';

const stack = {
  folder: '/home/ana/my case/.tramita',
  temporal: {
    address: '127.0.0.1:1001',
    uiUrl: 'http://127.0.0.1:1002',
    httpUrl: 'http://127.0.0.1:1003',
    tool: '/home/ana/.cache/temporal',
  },
  taskQueue: 'tramita',
  sandbox: { url: 'http://127.0.0.1:1004', documentsUrl: 'http://127.0.0.1:1005' },
  bridgeUrl: 'http://127.0.0.1:1006',
  clientEnv: { TRAMITA_API_KEY: 'sandbox-key', TRAMITA_FILES_DIR: '/home/ana/my case/.tramita/files' },
} as unknown as LocalStack;

describe('stackLines', () => {
  it('lists the addresses, including the HTTP API of Temporal', () => {
    const text = stackLines(stack);
    expect(text).toContain('Temporal  127.0.0.1:1001   UI http://127.0.0.1:1002   HTTP API http://127.0.0.1:1003\n');
    expect(text).toContain("export TRAMITA_FILES_DIR='/home/ana/my case/.tramita/files'");
  });

  it('lists only the address of a Temporal server that it did not start', () => {
    const text = stackLines({ ...stack, temporal: { address: 'temporal:7233' } });
    expect(text).toContain('Temporal  temporal:7233\n');
    expect(text).toContain('  temporal workflow start --address temporal:7233 ');
  });

  it('adds a command that shows encrypted flows with the same program and address', () => {
    const text = stackLines({ ...stack, codec: { url: 'http://127.0.0.1:1007', tokenFile: '/home/ana/token' } });
    expect(text).toContain(
      '  /home/ana/.cache/temporal workflow show --address 127.0.0.1:1001 --workflow-id … --codec-endpoint http://127.0.0.1:1007 ',
    );
  });
});
