/** Connections that never finish the TLS handshake: they hold a place and a shutdown no longer than a slow head does. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { withBridge } from './support.js';

const pem = (name: string): string => readFileSync(join(__dirname, 'fixtures', name), 'utf8');
const CLOSED_WITHIN_MS = 12_000;

it('a connection that does not begin its TLS handshake is closed, and does not hold up a shutdown', async () => {
  const tls = { cert: pem('toy-cert.pem'), key: pem('toy-key.pem') };
  const startedMs = performance.now();
  let closed = Promise.resolve(Infinity);
  await withBridge({ tls }, async ({ port }) => {
    const socket = connect(port, '127.0.0.1').resume();
    closed = new Promise((done) => socket.once('close', () => done(performance.now() - startedMs)));
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  });
  const bridgeClosedMs = performance.now() - startedMs;
  expect(Math.max(await closed, bridgeClosedMs)).toBeLessThan(CLOSED_WITHIN_MS);
});
