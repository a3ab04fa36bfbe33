/** Paid answers whose `Content-Encoding` is false or unknown, over real sockets: what can be read is the answer. */
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { judgeExchange } from '../../src/http/index.js';
import { answer, type OnRequest } from './hostile-server.js';
import { ENVELOPE, POST, REFRESH, SEND, clientOf, closeServers, hostile } from './send-support.js';

afterEach(closeServers);

const end =
  (bytes: Buffer): OnRequest =>
  (socket) =>
    void socket.end(bytes);
const inEncoding = (name: string) => ({ headers: { 'Content-Encoding': name } });

describe('JSON that is not encoded as its header says', () => {
  it.each(['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'identity, x-foo', 'gzip, br', ', identity'])(
    'is the answer, with its charge, under %s',
    async (name) => {
      for (const body of [ENVELOPE, `\uFEFF${ENVELOPE}`]) {
        const server = await hostile({ onRequest: end(answer(200, body, inEncoding(name))) });
        const judgement = judgeExchange(REFRESH, await clientOf(server.origin).send(POST, SEND));
        expect(judgement).toMatchObject({ outcome: 'DONE', meta: { charged: 500, balanceAfter: 99_500 } });
      }
    },
  );

  it('is the answer when it comes byte by byte, or its transfer breaks off after it', async () => {
    for (const name of ['gzip', 'br']) {
      const [head, body] = [answer(200, '', { ...inEncoding(name), length: 500 }), Buffer.from(ENVELOPE)];
      const server = await hostile({
        onRequest: (socket) => {
          socket.setNoDelay(true);
          socket.write(head);
          for (const byte of body) socket.write(Buffer.of(byte));
          socket.end();
        },
      });
      const exchange = await clientOf(server.origin).send(POST, SEND);
      expect(judgeExchange(REFRESH, exchange)).toMatchObject({ outcome: 'DONE', meta: { charged: 500 } });
    }
  });

  it('has the size limit of every answer', async () => {
    const body = `{"data":"${'a'.repeat(60_000)}"}`;
    const server = await hostile({ onRequest: end(answer(200, body, inEncoding('gzip'))) });
    expect(await clientOf(server.origin).send(POST, SEND)).toMatchObject({ kind: 'cut', tooLarge: true });
  });

  it('is recognised by a beginning that no Brotli has, so that a list in Brotli is decoded', async () => {
    for (let second = 0; second < 256; second += 1) {
      for (const tail of ['', '"data":{}}', '\u0000\u0000']) {
        expect(() => brotliDecompressSync(Buffer.from([0x7b, second, ...Buffer.from(tail)]))).toThrow();
      }
    }
    const list = Buffer.from(`{"data":[${Array.from({ length: 4_000 }, (_, i) => `"${i * i}"`).join()}]}`);
    const server = await hostile({ onRequest: end(answer(200, brotliCompressSync(list), inEncoding('br'))) });
    expect(await clientOf(server.origin).send(POST, SEND)).toMatchObject({ kind: 'answer', body: list });
  });
});
