/** Downloads by signed link: exact URL, no key, guarded addresses, complete files, each stored once. */
import { createHash } from 'node:crypto';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { downloadFile, type DownloadOutcome, type DownloadRequest, type Resolve } from '../../src/http/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { answer, drip, type HostileServer, type OnRequest } from './hostile-server.js';
import { closeServers, hostile } from './send-support.js';
import { TEST_CERTIFICATE } from './test-certificate.js';

let directory = '';
beforeEach(() => (directory = temporaryFolder('files')));
afterEach(closeServers);

const PDF = Buffer.from(`%PDF-1.7\n${'x'.repeat(40_000)}\n%%EOF\n`);
const asPdf = { headers: { 'Content-Type': 'application/pdf' } };
const encoded = (name: string) => ({ headers: { ...asPdf.headers, 'Content-Encoding': name } });
const SIGNATURE = 'X-Sig=canary%2Fsig+7';
/** Client and server share one process. A pause of it must not end a download, unless the test is about limits. */
const limits = { totalMs: 15_000, firstByteMs: 10_000, idleMs: 10_000, maxBytes: 100_000 };

/** Typed, where jest's own matcher is `any`. */
const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);

const end =
  (bytes: Buffer | string): OnRequest =>
  (socket) =>
    void socket.end(bytes);

function fetchFrom(server: HostileServer, extra: Partial<DownloadRequest> = {}): Promise<DownloadOutcome> {
  const url = `${server.origin}/file?${SIGNATURE}`;
  return downloadFile({ url, directory, allowedOrigins: [server.origin], limits, ...extra });
}

/** The names of all files below the store. */
async function files(): Promise<string[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

test('a whole PDF is stored under its hash, readable by its user only', async () => {
  const server = await hostile({ onRequest: end(answer(200, PDF, asPdf)) });
  const sha256 = createHash('sha256').update(PDF).digest('hex');
  const path = `sha256/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
  expect(await fetchFrom(server)).toEqual({ kind: 'stored', sha256, bytes: PDF.length, stored: path });
  expect(await readFile(join(directory, path))).toEqual(PDF);
  expect((await stat(join(directory, path))).mode & 0o777).toBe(0o600);
  expect(await files()).toEqual([sha256]);
});

test.each([
  ['is stored decoded', gzipSync(PDF)],
  ['is stored as it is if it is not encoded in fact', PDF],
])('a file with an encoding that was not requested %s', async (_how, bytes) => {
  const server = await hostile({ onRequest: end(answer(200, bytes, encoded('gzip'))) });
  const sha256 = createHash('sha256').update(PDF).digest('hex');
  expect(await fetchFrom(server)).toMatchObject({ kind: 'stored', sha256, bytes: PDF.length });
});

test('an equal file is stored once, also when three arrive at the same moment', async () => {
  const server = await hostile({ onRequest: end(answer(200, PDF, asPdf)) });
  const outcomes = await Promise.all([fetchFrom(server), fetchFrom(server), fetchFrom(server)]);
  expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
  expect(await files()).toHaveLength(1);
});

test('a damaged file under the same name is replaced', async () => {
  const server = await hostile({ onRequest: end(answer(200, PDF, asPdf)) });
  const first = await fetchFrom(server);
  if (first.kind !== 'stored') throw new Error(first.kind);
  await writeFile(join(directory, first.stored), 'half');
  await fetchFrom(server);
  expect(await readFile(join(directory, first.stored))).toEqual(PDF);
});

test('a chunked file that is not a PDF is stored', async () => {
  const chunked =
    'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n';
  const server = await hostile({ onRequest: end(chunked) });
  expect(await fetchFrom(server)).toMatchObject({ kind: 'stored', bytes: 5 });
});

test('a PDF without a length is stored when it has its end mark', async () => {
  const server = await hostile({ onRequest: end(answer(200, PDF, { ...asPdf, length: false })) });
  expect(await fetchFrom(server)).toMatchObject({ kind: 'stored', bytes: PDF.length });
});

/** A download that fails, and the limit that ends it, if any. */
type Failing = [title: string, onRequest: OnRequest, reason: RegExp, limit?: Partial<typeof limits>];
const failures: readonly Failing[] = [
  [
    'a file shorter than its length',
    end(answer(200, PDF, { ...asPdf, length: PDF.length + 1 })),
    /download failed|cut/,
  ],
  [
    'a file cut in a chunk',
    end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n%PDF-'),
    /download failed|cut/,
  ],
  [
    'a file without a length that is not a PDF',
    end(answer(200, 'plain text, maybe cut', { length: false })),
    /no length/,
  ],
  [
    'a cut PDF without a length',
    end(answer(200, PDF.subarray(0, 900), { ...asPdf, length: false })),
    /end mark is missing/,
  ],
  ['a PDF without its end mark', end(answer(200, PDF.subarray(0, 20_000), asPdf)), /end mark is missing/],
  ['HTML declared as a PDF', end(answer(200, '<html>expired</html>', asPdf)), /an HTML page came/],
  ['an empty file', end(answer(200, '')), /empty/],
  ['a file whose length is over the limit', end(answer(200, Buffer.alloc(100_001))), /larger than 100000/],
  [
    'a file that grows over the limit',
    (socket) =>
      void socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n186a1\r\n${'a'.repeat(100_001)}\r\n`),
    /larger than 100000/,
  ],
  ['an unknown encoding', end(answer(200, gzipSync(PDF), encoded('zstd'))), /encoding/],
  ['a damaged encoding', end(answer(200, gzipSync(PDF).subarray(0, -20), encoded('gzip'))), /truncated after/],
  ['a cut encoding', end(answer(200, gzipSync(PDF), { ...encoded('gzip'), length: 900 })), /download failed/],
  [
    'an encoded file that is over the limit',
    end(answer(200, gzipSync('a'.repeat(100_001)), encoded('gzip'))),
    /larger/,
  ],
  ['no answer', () => undefined, /no byte/, { firstByteMs: 500 }],
  [
    'a stall',
    (socket) => void socket.write(answer(200, '%PDF-', { ...asPdf, length: 500 })),
    /stalled/,
    { idleMs: 400 },
  ],
  ['a drip', drip(answer(200, '%PDF-', { ...asPdf, length: 5_000 }), 20), /total time/, { totalMs: 1_200 }],
  ['a reset', (socket) => void socket.resetAndDestroy(), /ECONNRESET/],
  ['garbage', end('garbage\r\n\r\n'), /HPE_/],
  ['an upgrade', end('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'), /HTTP 101/],
  ['a server error', end(answer(500, 'x')), /HTTP 500/],
  ['a part of the file', end(answer(206, PDF, asPdf)), /HTTP 206/],
];

test.each(failures)('%s fails, leaves no file and does not show the link', async (...failing: Failing) => {
  const [, onRequest, reason, limit] = failing;
  const server = await hostile({ onRequest });
  const outcome = await fetchFrom(server, { limits: { ...limits, ...limit } });
  expect(outcome.kind).toBe('failed');
  expect(outcome).toHaveProperty('reason', matching(reason));
  expect(JSON.stringify(outcome)).not.toMatch(/canary|127\.0\.0\.1/);
  expect(await files()).toEqual([]);
});

/** Reasons of a failure after which the same link may bring the whole file. */
const PASSING = /download failed|cut|end mark is missing|empty|no byte|stalled|ECONNRESET|HPE_|HTTP 500/;

test.each(failures)('%s may pass only if a part or all of the file did not come', async (...failing: Failing) => {
  const [, onRequest, reason, limit] = failing;
  const server = await hostile({ onRequest });
  const outcome = await fetchFrom(server, { limits: { ...limits, ...limit } });
  expect('passing' in outcome).toBe(PASSING.test(reason.source));
});

test.each([401, 403, 404, 410])('HTTP %s is an expired link', async (status) => {
  const server = await hostile({ onRequest: end(answer(status, '<Error>')) });
  expect(await fetchFrom(server)).toEqual({ kind: 'expired', status });
});

test.each([
  [
    'Google Cloud Storage',
    '<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>',
  ],
  ['S3 with temporary credentials', '<Error><Code>ExpiredToken</Code></Error>'],
])('HTTP 400 of %s that says so is an expired link', async (_storage, body) => {
  const server = await hostile({ onRequest: end(answer(400, body)) });
  expect(await fetchFrom(server)).toEqual({ kind: 'expired', status: 400 });
});

test.each([
  ['about something else', end(answer(400, '<Error><Code>InvalidArgument</Code></Error>'))],
  ['without a message', end(answer(400, ''))],
  ['whose message is cut', end(answer(400, '<Error>', { length: 500 }))],
])('HTTP 400 %s fails', async (_what, onRequest) => {
  const server = await hostile({ onRequest });
  expect(await fetchFrom(server)).toEqual({ kind: 'failed', reason: 'HTTP 400' });
});

test('a refused connection, an unwritable directory and a cancellation fail with a reason', async () => {
  const server = await hostile({ onRequest: end(answer(200, PDF, asPdf)) });
  await writeFile(join(directory, 'a-file'), '');
  expect(await fetchFrom(server, { directory: join(directory, 'a-file') })).toMatchObject({
    kind: 'no_room',
    reason: matching(/ENOTDIR|EEXIST/),
  });
  expect(await fetchFrom(server, { signal: AbortSignal.abort() })).toEqual({ kind: 'failed', reason: 'cancelled' });
  await server.close();
  expect(await fetchFrom(server)).toMatchObject({ kind: 'failed', reason: matching(/ECONNREFUSED/) });
});

test.each([
  "/a?sig='q'",
  '/a/../b?x',
  '/a?',
  '/a?b=%2F+%7e',
  '//a',
  '/a[]?b[]=1&&c',
  '/a%zz;b',
  '/a?u=http://b/c?d=e',
  '/a\\b',
])('the path %s is requested byte for byte, without key, cookie and fragment', async (path) => {
  const server = await hostile({ onRequest: end(answer(200, 'x')) });
  await fetchFrom(server, { url: `${server.origin}${path}#fragment` });
  const [line, ...headers] = server.requests()[0]?.split('\r\n') ?? [];
  expect(line).toBe(`GET ${path} HTTP/1.1`);
  const names = headers.flatMap((header) => (header === '' ? [] : [header.split(':')[0]?.toLowerCase()]));
  expect(names.sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
});

test('a download with an untrusted certificate fails, and with a trusted one succeeds', async () => {
  const server = await hostile({ tls: true, onRequest: end(answer(200, PDF, asPdf)) });
  expect(await fetchFrom(server)).toMatchObject({ kind: 'failed', reason: matching(/SELF_SIGNED/) });
  expect(server.requests()).toEqual([]);
  expect(await fetchFrom(server, { ca: TEST_CERTIFICATE })).toMatchObject({ kind: 'stored' });
});

describe('redirects', () => {
  const to = (location: string): OnRequest => end(answer(302, '', { headers: { Location: location } }));

  test('up to three redirects are followed', async () => {
    const server = await hostile({
      onRequest: (socket, request) => {
        const hop = Number(/hop=(\d)/.exec(request)?.[1] ?? 0);
        return void socket.end(
          hop < 3 ? answer(302, '', { headers: { Location: `/next?hop=${hop + 1}` } }) : answer(200, PDF, asPdf),
        );
      },
    });
    expect(await fetchFrom(server)).toMatchObject({ kind: 'stored' });
    expect(server.requests()).toHaveLength(4);
  });

  test('a fourth redirect fails', async () => {
    const server = await hostile({ onRequest: to('/again') });
    expect(await fetchFrom(server)).toEqual({ kind: 'failed', reason: 'more than 3 redirects' });
    expect(server.requests()).toHaveLength(4);
  });

  test('a redirect to an origin that is not allowed is never followed', async () => {
    const other = await hostile({ onRequest: end(answer(200, PDF, asPdf)) });
    for (const location of [
      `${other.origin}/x`,
      `//127.0.0.1:${other.port}/x`,
      'file:///etc/passwd',
      'relative',
      '',
      'https://[::1]/x',
    ]) {
      const server = await hostile({ onRequest: to(location) });
      expect((await fetchFrom(server)).kind).toBe('failed');
    }
    expect(other.connections).toEqual([]);
  });
});

describe('addresses', () => {
  test.each([
    'http://storage.example/x',
    'https://storage.example:8443/x',
    'https://127.0.0.1/x',
    'https://10.1.2.3/x',
    'https://192.168.0.1/x',
    'https://172.16.0.1/x',
    'https://169.254.169.254/latest',
    'https://100.64.0.1/x',
    'https://0.0.0.0/x',
    'https://224.0.0.1/x',
    'https://[::1]/x',
    'https://[::]/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://[::ffff:a9fe:a9fe]/x',
    'https://[fe80::1]/x',
    'https://[fc00::1]/x',
    'https://[64:ff9b::7f00:1]/x',
    'https://[2002:7f00:1::]/x',
    'https://[2001:db8::1]/x',
    'https://[::127.0.0.1]/x',
    'https://127.1/x',
    'https://2130706433/x',
    'https://0x7f000001/x',
    'https://0177.0.0.1/x',
    'https://a@b.example/x',
    'https://b.example\\@c/x',
    'https:///x',
    'https://:443/x',
    'https://b.example:99999/x',
    'ftp://b.example/x',
    'data:,x',
    'https://b.example/a b',
    'https://b.example/ç',
    'https://b.example/a\r\nb',
    'https://bücher.example/x',
    '/x',
    '',
  ])('the link %j is refused before any name is resolved', async (url) => {
    let resolved = 0;
    const resolve: Resolve = async () => ((resolved += 1), Promise.resolve([]));
    const outcome = await downloadFile({ url, directory, allowedOrigins: [], limits, resolve });
    expect(outcome).toEqual({ kind: 'failed', reason: matching(/^the link /) });
    expect(resolved).toBe(0);
  });

  test.each([
    [['10.0.0.1'], /not public/],
    [['203.0.114.1', '127.0.0.1'], /not public/],
    [['::ffff:169.254.169.254'], /not public/],
    [['fe80::1%eth0'], /not public/],
    [[], /no address/],
  ])('a name that resolves to %j is refused', async (addresses, reason) => {
    const resolve: Resolve = () =>
      Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
    const outcome = await downloadFile({
      url: 'https://storage.example/x',
      directory,
      allowedOrigins: [],
      limits,
      resolve,
    });
    expect(outcome).toEqual({ kind: 'failed', reason: matching(reason) });
  });

  test('a name is resolved once and the connection goes to that address', async () => {
    const server = await hostile({ onRequest: end(answer(200, PDF, asPdf)) });
    let resolved = 0;
    const resolve: Resolve = async () => ((resolved += 1), Promise.resolve([{ address: '127.0.0.1', family: 4 }]));
    const origin = `http://storage.invalid:${server.port}`;
    const outcome = await downloadFile({ url: `${origin}/x`, directory, allowedOrigins: [origin], limits, resolve });
    expect([outcome.kind, resolved]).toEqual(['stored', 1]);
    expect(server.requests()[0]).toContain(`host: storage.invalid:${server.port}\r\n`);
  });

  test('a name that cannot be resolved fails with a passing error', async () => {
    const resolve: Resolve = () => Promise.reject(Object.assign(new Error('secret'), { code: 'ENOTFOUND' }));
    const outcome = await downloadFile({
      url: 'https://storage.example/x',
      directory,
      allowedOrigins: [],
      limits,
      resolve,
    });
    expect(outcome).toEqual({ kind: 'failed', reason: 'the host cannot be resolved (ENOTFOUND)', passing: true });
  });

  test('a resolver that never answers fails after the total time', async () => {
    const resolve: Resolve = () => new Promise(() => undefined);
    const short = { ...limits, totalMs: 60 };
    const job = { url: 'https://storage.example/x', directory, allowedOrigins: [], limits: short, resolve };
    expect(await downloadFile(job)).toEqual({ kind: 'failed', reason: 'not finished within the total time' });
  });

  test('an allowed origin is matched by scheme, host and port', async () => {
    const server = await hostile({ onRequest: end(answer(200, 'x')) });
    for (const allowed of [
      `https://127.0.0.1:${server.port}`,
      `http://127.0.0.1:${server.port + 1}`,
      'http://127.0.0.1',
      '127.0.0.1',
    ]) {
      expect((await fetchFrom(server, { allowedOrigins: [allowed] })).kind).toBe('failed');
    }
    expect(server.connections).toEqual([]);
  });
});
