/** Answers that are files, over real sockets: whole and stored by their hash, or cut; and the forms without an envelope. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import { operationOf } from '../../src/contract/index.js';
import { judgeExchange, sweepParts, type Exchange } from '../../src/http/index.js';
import { clientOf, closeServers, GET, hostile, SEND } from './send-support.js';

afterEach(closeServers);

const PDF = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(200_000, 'x'), Buffer.from('\n%%EOF\n')]);
const EDITION = operationOf('getElectoralEditionPdf');
const PAID = 'X-Service-Credits-Remaining: 9.92\r\nX-Service-Search-Log-Id: log-7\r\n';
const newDirectory = (): string => mkdtempSync(join(tmpdir(), 'tramita-sink-'));

async function receive(
  answer: (socket: Socket) => void,
): Promise<{ exchange: Exchange; directory: string; request: string }> {
  const server = await hostile({ onRequest: (socket) => answer(socket) });
  const directory = newDirectory();
  const exchange = await clientOf(server.origin).send(GET, { ...SEND, sink: { directory } });
  return { exchange, directory, request: server.requests()[0] ?? '' };
}

const head = (more: string, length = PDF.length): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Length: ${length}\r\n${PAID}${more}\r\n`;

describe('a PDF', () => {
  it('is streamed to the store and told by its hash, with the figures of its headers', async () => {
    const { exchange, directory, request } = await receive((socket) =>
      socket.end(Buffer.concat([Buffer.from(head('')), PDF])),
    );
    const sha256 = createHash('sha256').update(PDF).digest('hex');
    expect(exchange).toMatchObject({ kind: 'file', file: { sha256, bytes: PDF.length } });
    if (exchange.kind !== 'file') return;
    expect(readFileSync(join(directory, exchange.file.path)).equals(PDF)).toBe(true);
    expect(request).toMatch(/accept: application\/pdf, application\/json/i);
    expect(judgeExchange(EDITION, exchange, { nowMs: 0 })).toMatchObject({
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
      'without its end mark, cut under a closing connection',
      (socket: Socket) =>
        socket.end(
          Buffer.concat([
            Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n'),
            PDF.subarray(0, 5_000),
          ]),
        ),
    ],
    ['an HTML page with its label', (socket: Socket) => socket.end(`${head('', 15)}<html>no</html>`)],
  ])('%s is paid and lost, and leaves nothing behind', async (_name, answer) => {
    const { exchange, directory } = await receive(answer);
    expect(exchange.kind).toBe('cut');
    expect(judgeExchange(EDITION, exchange, { nowMs: 0 })).toMatchObject({ outcome: 'CHARGED_LOST' });
    expect(readdirSync(join(directory, 'sha256'))).toEqual([]);
  });

  it('that comes as JSON is paid and lost; a refusal and a 202 stay what they are', async () => {
    const json = (status: string, body: string) => (socket: Socket) =>
      socket.end(
        `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    const judged = async (status: string, body: string) =>
      judgeExchange(EDITION, (await receive(json(status, body))).exchange, { nowMs: 0 });
    expect(await judged('200 OK', '{"data":{}}')).toMatchObject({ outcome: 'CHARGED_LOST' });
    expect(await judged('404 Not Found', '{"error":{"code":"X"}}')).toMatchObject({ outcome: 'REJECTED' });
    const pending = '{"data":{"requestId":"7f1f9c52-5f0b-4c0e-9b7e-0123456789ab"}}';
    expect(await judged('202 Accepted', pending)).toMatchObject({ outcome: 'PENDING' });
  });
});

describe('forms without an envelope', () => {
  const judge = (id: 'listCourtSystems' | 'searchLegacy' | 'getCase', status: number, body: string, headers = {}) =>
    judgeExchange(
      operationOf(id),
      { kind: 'answer', head: { status, headers, receivedAtMs: 0 }, body: Buffer.from(body) },
      { nowMs: 0 },
    );

  it('a reference list may be a bare list, a cover may not', () => {
    expect(judge('listCourtSystems', 200, '[{"sigla":"TJSP"}]')).toMatchObject({ outcome: 'DONE' });
    expect(judge('getCase', 200, '[]')).toMatchObject({ outcome: 'CHARGED_LOST' });
  });

  it('the legacy search is its payload, with figures in headers, plain-text errors and 402 for no balance', () => {
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

it('half-written files of killed processes are swept once they are old', async () => {
  const directory = newDirectory();
  mkdirSync(join(directory, 'sha256', 'ab'), { recursive: true });
  for (const name of ['.part-old', '.part-new', 'ab/kept']) writeFileSync(join(directory, 'sha256', name), 'x');
  utimesSync(join(directory, 'sha256', '.part-old'), 1, 1);
  expect(await sweepParts(directory, 60_000)).toBe(1);
  expect(readdirSync(join(directory, 'sha256')).sort()).toEqual(['.part-new', 'ab']);
});
