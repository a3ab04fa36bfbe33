/** A webhook receiver on loopback that records raw requests and answers with the given statuses. */
import type { IncomingHttpHeaders } from 'node:http';
import { serve, withBody } from '../../../soak/loopback.js';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly atMs: number;
}

export interface Receiver {
  readonly url: string;
  readonly origin: string;
  readonly received: readonly Received[];
  /** Statuses of the next answers; then 204. */
  answer(...statuses: number[]): void;
  close(): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const next: number[] = [];
  const { url: origin, close } = await serve(
    withBody(({ method = '', url = '', headers }, response, body) => {
      received.push({ method, path: url, headers, body, atMs: Date.now() });
      response.writeHead(next.shift() ?? 204, { connection: 'close' }).end();
    }),
  );
  return {
    url: `${origin}/webhooks`,
    origin,
    received,
    answer: (...statuses) => void next.push(...statuses),
    close,
  };
}
