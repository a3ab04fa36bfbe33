/** A collector of traces on loopback. It stores requests unchanged: OTLP is not compressed, so texts can be found in it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Shutdown } from '../../src/local/index.js';

export interface Collector {
  /** Variables for the programs that send to it. */
  readonly env: Readonly<Record<string, string>>;
  readonly received: readonly Buffer[];
}

export async function startCollector(shutdown: Shutdown): Promise<Collector> {
  const received: Buffer[] = [];
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => received.push(chunk)).on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  shutdown.add({ name: 'collector', stop: () => server.close().closeAllConnections() });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { received, env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '500' } };
}
