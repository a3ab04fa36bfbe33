/**
 * Outgoing TLS is verified whatever the environment says. The calls run in their own process, because Node reads
 * NODE_TLS_REJECT_UNAUTHORIZED from the real environment, which jest hides.
 */
import { execFile, execFileSync } from 'node:child_process';
import { createServer } from 'node:https';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { listen } from '../../soak/loopback.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { TEST_CERTIFICATE, TEST_PRIVATE_KEY } from './test-certificate.js';

const root = resolve(__dirname, '../..');
const KEY = 'canary-api-key';
const received: string[] = [];
const server = createServer({ cert: TEST_CERTIFICATE, key: TEST_PRIVATE_KEY }, (request, answer) => {
  received.push(`${request.method ?? ''} ${request.url ?? ''} ${JSON.stringify(request.headers)}`);
  answer.end('{}');
});
let url = '';
let directory = '';

describe('with NODE_TLS_REJECT_UNAUTHORIZED=0', () => {
  beforeAll(async () => {
    try {
      execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--build', 'tsconfig.node.json'], {
        cwd: root,
        stdio: 'pipe',
      });
    } catch {
      // The type-check reports type errors. This test needs only the modules, and fails below without them.
    }
    url = `https://${(await listen(server)).replace('127.0.0.1', 'localhost')}`;
    directory = temporaryFolder('tls');
  });
  afterAll(() => new Promise((done) => server.close(done)));

  /** Runs `body` with NODE_TLS_REJECT_UNAUTHORIZED=0 and returns its result. */
  async function runUnverified(body: string): Promise<unknown> {
    const program = `
    const http = require(${JSON.stringify(join(root, 'dist/src/http/index.js'))});
    const { postDelivery } = require(${JSON.stringify(join(root, 'dist/src/cli/webhook/post-delivery.js'))});
    const [url, directory] = ${JSON.stringify([url, directory])};
    (async () => { ${body} })().then((answer) => console.log(JSON.stringify(answer)));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], {
      env: { PATH: process.env['PATH'], NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    });
    return JSON.parse(stdout);
  }

  it('a plain fetch reaches the server, which shows that the variable has its effect', async () => {
    expect(await runUnverified(`return { status: (await fetch(url)).status };`)).toEqual({ status: 200 });
    expect(received.splice(0)).toHaveLength(1);
  });

  it.each<[string, string, object]>([
    [
      'a call of the service',
      `const client = http.createServiceClient({ baseUrl: url, apiKey: '${KEY}', auth: 'x-api-key' });
     return client.send({ method: 'GET', target: '/v1', headers: {} }, { totalMs: 5000 });`,
      { kind: 'not_sent', reason: expect.stringMatching(/certificate|SELF_SIGNED/i) as string },
    ],
    [
      'a poll over a shared connection',
      `const client = http.createServiceClient({ baseUrl: url, apiKey: '${KEY}', auth: 'bearer' });
     return client.send({ method: 'GET', target: '/v1', headers: {} }, { totalMs: 5000, keepAlive: true });`,
      { kind: 'not_sent' },
    ],
    [
      'a download',
      `return http.downloadFile({ url: url + '/file', directory, allowedOrigins: [url] });`,
      { kind: 'failed' },
    ],
    [
      'a webhook sent from the command line',
      `return postDelivery(new URL(url), { body: Buffer.from('{}'), headers: ['authorization', 'Bearer ${KEY}'] })
       .then(() => ({ sent: true }), ({ name }) => ({ name }));`,
      { name: 'TramitaNoAnswer' },
    ],
  ])('%s does not reach a server with an untrusted certificate', async (_what, body, answer) => {
    expect(await runUnverified(body)).toMatchObject(answer);
    expect(received.splice(0)).toEqual([]);
  });
});
