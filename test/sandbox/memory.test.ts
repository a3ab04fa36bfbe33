/**
 * Memory use of the sandbox program while it serves the corpus `mass`. The default run is short; the full run is
 * `TRAMITA_SANDBOX_CALLS=100000 npx jest test/sandbox/memory`.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { cnjAt } from '../../sandbox/cases/corpus.js';
import { formatCnj } from '../../src/contract/index.js';
import { createFastClient, send, until } from './support/client.js';

const CALLS = Number(process.env['TRAMITA_SANDBOX_CALLS'] ?? '4000');
const LIMIT_BYTES = 250 * 1_024 * 1_024;
const main = resolve(__dirname, '../../dist/sandbox/main.js');
let child: ChildProcess | undefined;
let dataDir = '';

afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

test(`the sandbox stays below 250 MB while it serves ${CALLS} requests about different cases, and books every charge`, async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'sandbox-'));
  const args = ['--corpus', 'mass', '--data-dir', dataDir, '--refresh-ms', '1000', '--opening-balance', '100000000'];
  child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until(
    () => Promise.resolve(output),
    (text) => text.includes('charges'),
    30_000,
  );
  const { url, controlUrl } = JSON.parse(/^sandbox ready (.*)$/m.exec(output)![1]!) as {
    url: string;
    controlUrl: string;
  };
  const client = createFastClient(url);
  let peakRss = 0;
  let reported = 0;
  for (let at = 0; at < CALLS; at += 500) {
    const answers = await Promise.all(
      Array.from({ length: 500 }, (_, index) => {
        const cnj = formatCnj(cnjAt('tramita', ((at + index) * 7_919) % 1_000_000));
        const path = `/v1/processos/cnj/${cnj}`;
        switch ((at + index) % 4) {
          case 0:
            return client.call('POST', `${path}/solicitar-atualizacao`, '{}');
          case 1:
            return client.call('GET', path);
          case 2:
            return client.call('GET', `${path}/movimentacoes`);
          default:
            return client.call('GET', `${path}/status-atualizacao`);
        }
      }),
    );
    for (const { status, json } of answers) {
      expect([200, 202]).toContain(status);
      reported += Math.round(json.meta.creditsCharged * 10_000);
    }
    const memory = (await send(`${controlUrl}/memory`)).json as unknown as { rss: number };
    peakRss = Math.max(peakRss, memory.rss);
  }
  client.close();
  expect(peakRss).toBeLessThan(LIMIT_BYTES);
  const summary = (await send(`${controlUrl}/charges/summary`)).json as unknown as { count: number; total: string };
  expect([summary.count, Math.round(Number(summary.total) * 10_000)]).toEqual([(CALLS / 4) * 3, reported]);
  process.stdout.write(`sandbox memory: ${CALLS} requests, at most ${Math.round(peakRss / 1_048_576)} MB\n`);
}, 1_800_000);
