/** Answers that are files, over real sockets: stored whole under their hash, or cut. Also answers without an envelope. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { operationOf } from '../../src/contract/index.js';
import { sweepParts } from '../../src/files/sweep-parts.js';
import { downloadFile, judgeExchange, readExchangeMeta, type Exchange } from '../../src/http/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { answer, drip, type OnRequest } from './hostile-server.js';
import { clientOf, closeServers, ENVELOPE, GET, hostile, PATIENT, SEND } from './send-support.js';

afterEach(async () => {
  jest.restoreAllMocks();
  await closeServers();
});

const PDF = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(200_000, 'x'), Buffer.from('\n%%EOF\n')]);
const EDITION = operationOf('getElectoralEditionPdf');
const PAID = 'X-Service-Credits-Remaining: 9.92\r\nX-Service-Search-Log-Id: log-7\r\n';
const newDirectory = (): string => temporaryFolder('sink');

async function receive(
  answer: (socket: Socket) => void,
): Promise<{ exchange: Exchange; directory: string; request: string }> {
  const server = await hostile({ onRequest: (socket) => answer(socket) });
  const directory = newDirectory();
  const exchange = await clientOf(server.origin).send(GET, { ...SEND, sink: { directory } });
  return { exchange, directory, request: server.requests()[0] ?? '' };
}

const asPdf = { headers: { 'Content-Type': 'application/pdf' } };
const encoded = (name: string) => ({ headers: { ...asPdf.headers, 'Content-Encoding': name } });
const gzipped = encoded('gzip');
const JUNK_PDF = Buffer.concat([Buffer.from('\r\n junk '), PDF]);

const head = (more: string, length = PDF.length): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Length: ${length}\r\n${PAID}${more}\r\n`;

describe('a PDF', () => {
  it('is streamed to the store under its hash, with the figures of its headers', async () => {
    const { exchange, directory, request } = await receive((socket) =>
      socket.end(Buffer.concat([Buffer.from(head('')), PDF])),
    );
    const sha256 = createHash('sha256').update(PDF).digest('hex');
    expect(exchange).toMatchObject({ kind: 'file', file: { sha256, bytes: PDF.length } });
    if (exchange.kind !== 'file') return;
    expect(readFileSync(join(directory, exchange.file.stored)).equals(PDF)).toBe(true);
    expect(request).toMatch(/accept: application\/pdf, application\/json/i);
    expect(judgeExchange(EDITION, exchange)).toMatchObject({
      outcome: 'DONE',
      meta: { balanceAfter: 99_200, searchLogId: 'log-7' },
    });
  });

  it.each([
    [
      'cut in the middle',
      (socket: Socket) => socket.end(Buffer.concat([Buffer.from(head('')), PDF.subarray(0, 5_000)])),
    ],
    [
      'without a length, cut before its end mark',
      (socket: Socket) =>
        socket.end(
          Buffer.concat([
            Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n'),
            PDF.subarray(0, 5_000),
          ]),
        ),
    ],
    [
      'cut in a chunk',
      (socket: Socket) =>
        socket.end(
          'HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n%PDF-1.7',
        ),
    ],
    [
      'cut by a reset',
      (socket: Socket) => socket.write(head('') + '%PDF-1.7', () => setTimeout(() => socket.resetAndDestroy(), 20)),
    ],
    ['of which a 206 returned only a part', (socket: Socket) => socket.end(answer(206, PDF, asPdf))],
    ['whose gzip is cut', (socket: Socket) => socket.end(answer(200, gzipSync(PDF).subarray(0, -20), gzipped))],
    ['in an unrequested encoding', (socket: Socket) => socket.end(answer(200, gzipSync(PDF), encoded('zstd')))],
  ])('%s is CHARGED_LOST and leaves no file', async (_name, answer) => {
    const { exchange, directory } = await receive(answer);
    expect(exchange.kind).toBe('cut');
    expect(judgeExchange(EDITION, exchange)).toMatchObject({ outcome: 'CHARGED_LOST' });
    expect(readdirSync(join(directory, 'sha256'))).toEqual([]);
  });

  it('that is cut still has the figures of its headers', async () => {
    const { exchange } = await receive((socket) => socket.end(head('') + '%PDF-1.7'));
    expect(readExchangeMeta(exchange)).toMatchObject({ balanceAfter: 99_200, searchLogId: 'log-7' });
  });

  const wholeAnswers: readonly (readonly [string, Buffer, Buffer])[] = [
    ['with the content type of JSON', answer(200, PDF), PDF],
    ['without a content type', answer(200, PDF, { headers: { 'Content-Type': '' } }), PDF],
    ['with junk before its marker', answer(200, Buffer.concat([Buffer.from('\r\n junk '), PDF]), asPdf), JUNK_PDF],
    ['with its length but no end mark', answer(200, PDF.subarray(0, 9_000), asPdf), PDF.subarray(0, 9_000)],
    ['without a length but with its end mark', answer(200, PDF, { ...asPdf, length: false }), PDF],
    ['compressed without being requested', answer(200, gzipSync(PDF), gzipped), PDF],
    ['compressed with Brotli', answer(200, brotliCompressSync(PDF), encoded('br')), PDF],
    ['not compressed although it says so', answer(200, PDF, gzipped), PDF],
    ['with an encoding that is not known', answer(200, PDF, encoded('identity, x-foo')), PDF],
    ['deflated', answer(200, deflateSync(PDF), encoded('Deflate')), PDF],
  ];
  it.each(wholeAnswers)('%s is stored whole', async (_name, bytes, expected) => {
    const { exchange, directory } = await receive((socket) => socket.end(bytes));
    if (exchange.kind !== 'file') throw new Error(JSON.stringify(exchange));
    expect(readFileSync(join(directory, exchange.file.stored)).equals(expected)).toBe(true);
    expect(judgeExchange(EDITION, exchange).outcome).toBe('DONE');
  });

  it('that arrives byte by byte is one file', async () => {
    const { exchange } = await receive((socket) => {
      const small = PDF.subarray(0, 40);
      socket.write(head('', small.length));
      for (const byte of small) socket.write(Buffer.of(byte));
    });
    expect(exchange).toMatchObject({ kind: 'file', file: { bytes: 40 } });
  });

  it.each<[string, OnRequest, RegExp, boolean | undefined, { totalMs?: number; idleMs?: number }]>([
    [
      'over the size limit',
      (socket: Socket) => socket.end(answer(200, PDF, asPdf)),
      /larger than 100000 bytes/,
      true,
      {},
    ],
    [
      'that inflates over the size limit',
      (socket: Socket) => socket.end(answer(200, gzipSync(PDF), gzipped)),
      /larger/,
      true,
      {},
    ],
    [
      'that drips past the total time',
      drip(answer(200, '%PDF-1.7', { ...asPdf, length: 90_000 }), 20),
      /total/,
      undefined,
      { totalMs: 3_000 },
    ],
    [
      'that stalls',
      (socket: Socket) => socket.write(answer(200, PDF.subarray(0, 5_000), { ...asPdf, length: 90_000 })),
      /stalled/,
      undefined,
      { idleMs: 400 },
    ],
  ])('%s is cut, and its partial file is removed', async (_name, onRequest, reason, tooLarge, limit) => {
    const server = await hostile({ onRequest });
    const directory = newDirectory();
    const sink = { directory, maxBytes: 100_000 };
    const { totalMs = SEND.totalMs, ...more } = limit;
    const exchange = await clientOf(server.origin, { limits: { ...PATIENT, ...more } }).send(GET, { totalMs, sink });
    expect(exchange).toMatchObject({ kind: 'cut', reason: expect.stringMatching(reason) as string });
    expect('tooLarge' in exchange ? exchange.tooLarge : undefined).toBe(tooLarge);
    const until = Date.now() + 10_000;
    const left = (): string[] => readdirSync(join(directory, 'sha256'));
    while (left().length > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(left()).toEqual([]);
  });

  it('that has arrived is not cut by a time limit while the disk is slow', async () => {
    const { rename } = files;
    jest.spyOn(files, 'rename').mockImplementation(async (from, to) => {
      await new Promise((resolve) => setTimeout(resolve, 3_500));
      await rename(from, to);
    });
    const server = await hostile({ onRequest: (socket) => void socket.end(answer(200, PDF, asPdf)) });
    const client = clientOf(server.origin, { limits: { ...PATIENT, idleMs: 1_500 } });
    const send = { totalMs: 3_000, sink: { directory: newDirectory() } };
    expect(await client.send(GET, send)).toMatchObject({ kind: 'file' });
  });

  it('that fills the disk is cut with a reason and leaves no file', async () => {
    jest.spyOn(files, 'rename').mockRejectedValue(Object.assign(new Error('secret path'), { code: 'ENOSPC' }));
    const { exchange, directory } = await receive((socket) => socket.end(answer(200, PDF, asPdf)));
    expect(exchange).toMatchObject({ kind: 'cut', reason: 'the body was not kept (ENOSPC)' });
    const left = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(left).toEqual([]);
  });
});

describe('an answer that is not a file where one was expected', () => {
  it('is CHARGED_LOST with its bytes when it is HTML declared as a PDF', async () => {
    const { exchange, directory } = await receive((socket) => socket.end(answer(200, '<html>no</html>', asPdf)));
    expect(exchange).toMatchObject({ kind: 'answer', body: Buffer.from('<html>no</html>') });
    expect(judgeExchange(EDITION, exchange)).toMatchObject({ outcome: 'CHARGED_LOST' });
    expect(readdirSync(join(directory, 'sha256'))).toEqual([]);
  });

  it('is DONE for getRequest when it is JSON declared as a PDF', async () => {
    const { exchange } = await receive((socket) => socket.end(answer(200, ENVELOPE, asPdf)));
    expect(judgeExchange(operationOf('getRequest'), exchange)).toMatchObject({
      outcome: 'DONE',
      meta: { charged: 500 },
    });
  });

  it.each([
    ['an empty 200', answer(200, '', asPdf)],
    ['a 204', Buffer.from('HTTP/1.1 204 No Content\r\n\r\n')],
  ])('is CHARGED_LOST when it is %s', async (_name, bytes) => {
    const { exchange } = await receive((socket) => socket.end(bytes));
    expect(judgeExchange(EDITION, exchange)).toMatchObject({ outcome: 'CHARGED_LOST' });
  });

  it('has the size limit of JSON, not of files', async () => {
    const { exchange } = await receive((socket) => socket.end(answer(200, 'x'.repeat(PATIENT.maxBytes + 1), asPdf)));
    expect(exchange).toMatchObject({ kind: 'cut', tooLarge: true });
  });

  it('is CHARGED_LOST as JSON with 200, but a refusal and a 202 are judged as usual', async () => {
    const json = (status: string, body: string) => (socket: Socket) =>
      socket.end(
        `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    const judged = async (status: string, body: string) =>
      judgeExchange(EDITION, (await receive(json(status, body))).exchange);
    expect(await judged('200 OK', '{"data":{}}')).toMatchObject({ outcome: 'CHARGED_LOST' });
    expect(await judged('404 Not Found', '{"error":{"code":"X"}}')).toMatchObject({ outcome: 'REJECTED' });
    const pending = '{"data":{"requestId":"7f1f9c52-5f0b-4c0e-9b7e-0123456789ab"}}';
    expect(await judged('202 Accepted', pending)).toMatchObject({ outcome: 'PENDING' });
  });
});

describe('answers without an envelope', () => {
  const judge = (id: 'listCourtSystems' | 'searchLegacy' | 'getCase', status: number, body: string, headers = {}) =>
    judgeExchange(operationOf(id), {
      kind: 'answer',
      head: { status, headers, receivedAtMs: 0 },
      body: Buffer.from(body),
    });

  it('a reference list may be a bare list, a case may not', () => {
    expect(judge('listCourtSystems', 200, '[{"sigla":"TJSP"}]')).toMatchObject({ outcome: 'DONE' });
    expect(judge('getCase', 200, '[]')).toMatchObject({ outcome: 'CHARGED_LOST' });
  });

  it('the legacy search has a bare payload, figures in headers, plain errors and 402 for no balance', () => {
    const headers = { 'x-service-credits-remaining': '3.5', 'x-service-credits-charged': '0.05' };
    expect(judge('searchLegacy', 200, '[]', headers)).toMatchObject({
      outcome: 'DONE',
      meta: { charged: 500, balanceAfter: 35_000 },
    });
    expect(judge('searchLegacy', 402, 'no balance')).toMatchObject({ outcome: 'REJECTED', aboutBalance: true });
    expect(judge('searchLegacy', 422, '{"error":"q is missing"}')).toMatchObject({
      outcome: 'REJECTED',
      error: { fromService: true, reason: 'q is missing' },
    });
  });
});

describe('free space on the disk', () => {
  const setFreeSpace = async (megabytes: number): Promise<void> => {
    const stats = Object.assign(await files.statfs(tmpdir()), { bsize: 1_000, bavail: megabytes * 1_000 });
    jest.spyOn(files, 'statfs').mockResolvedValue(stats);
  };

  it('is checked before a paid request is sent, which is not_sent when the disk is full', async () => {
    await setFreeSpace(63);
    const { exchange, request } = await receive((socket) => socket.end(answer(200, PDF, asPdf)));
    expect(exchange).toEqual({ kind: 'not_sent', reason: 'the files directory has only 63 MB left' });
    expect(request).toBe('');
  });

  it('is checked against the declared length of a download', async () => {
    await setFreeSpace(70);
    const server = await hostile({
      onRequest: (socket) => void socket.write(answer(200, '%PDF-', { ...asPdf, length: 50_000_000 })),
    });
    const job = { url: `${server.origin}/a.pdf`, directory: newDirectory(), allowedOrigins: [server.origin] };
    const reason = 'the files directory has only 70 MB left for a file of 50 MB';
    expect(await downloadFile(job)).toEqual({ kind: 'no_room', reason });
  });

  it('is checked before the link of a download is opened', async () => {
    await setFreeSpace(63);
    const server = await hostile({ onRequest: (socket) => void socket.end(answer(200, PDF, asPdf)) });
    const job = { url: `${server.origin}/a.pdf`, directory: newDirectory(), allowedOrigins: [server.origin] };
    expect(await downloadFile(job)).toEqual({ kind: 'no_room', reason: 'the files directory has only 63 MB left' });
    expect(server.connections).toEqual([]);
  });

  it('is checked again while a download without a length comes, which leaves no file', async () => {
    const stats = Object.assign(await files.statfs(tmpdir()), { bsize: 1_000 });
    let looks = 0;
    jest.spyOn(files, 'statfs').mockImplementation(() => {
      looks += 1;
      return Promise.resolve(Object.assign(stats, { bavail: looks > 2 ? 40_000 : 90_000 }));
    });
    const chunk = Buffer.alloc(1_000_000, 'x');
    const server = await hostile({
      onRequest: (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.7\n');
        for (let count = 0; count < 40; count += 1) socket.write(chunk);
        socket.end('%%EOF\n');
      },
    });
    const directory = newDirectory();
    const job = { url: `${server.origin}/a.pdf`, directory, allowedOrigins: [server.origin] };
    expect(await downloadFile(job)).toEqual({ kind: 'no_room', reason: 'the files directory has only 40 MB left' });
    expect(readdirSync(join(directory, 'sha256'))).toEqual([]);
  });

  it('is none in a directory that cannot be written, so nothing is sent', async () => {
    const server = await hostile({ onRequest: (socket) => void socket.end(answer(200, PDF, asPdf)) });
    const directory = join(newDirectory(), 'a-file');
    writeFileSync(directory, '');
    const exchange = await clientOf(server.origin).send(GET, { ...SEND, sink: { directory } });
    expect(exchange).toMatchObject({ kind: 'not_sent', reason: expect.stringMatching(/cannot be written/) as string });
    expect(server.connections).toEqual([]);
  });

  it('is assumed when the system cannot report it', async () => {
    jest.spyOn(files, 'statfs').mockRejectedValue(Object.assign(new Error('x'), { code: 'ENOSYS' }));
    const { exchange } = await receive((socket) => socket.end(answer(200, PDF, asPdf)));
    expect(exchange.kind).toBe('file');
  });
});

it('sweepParts removes partial files of killed processes once they are old', async () => {
  const directory = newDirectory();
  mkdirSync(join(directory, 'sha256', 'ab'), { recursive: true });
  for (const name of ['.part-old', '.part-new', 'ab/kept']) writeFileSync(join(directory, 'sha256', name), 'x');
  utimesSync(join(directory, 'sha256', '.part-old'), 1, 1);
  expect(await sweepParts(directory, 60_000)).toBe(1);
  expect(readdirSync(join(directory, 'sha256')).sort()).toEqual(['.part-new', 'ab']);
});
