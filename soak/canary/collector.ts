/** A collector of traces on loopback. It stores requests unchanged: OTLP is not compressed, so texts can be found in it. */
import type { Shutdown } from '../../src/local/index.js';
import { serve } from '../loopback.js';

export interface Collector {
  /** Variables for the programs that send to it. */
  readonly env: Readonly<Record<string, string>>;
  readonly received: readonly Buffer[];
}

export async function startCollector(shutdown: Shutdown): Promise<Collector> {
  const received: Buffer[] = [];
  const { url, close } = await serve((request, response) => {
    request.on('data', (chunk: Buffer) => received.push(chunk)).on('end', () => response.end());
  });
  shutdown.add({ name: 'collector', stop: close });
  return { received, env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '500' } };
}
