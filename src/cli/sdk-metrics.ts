/**
 * Metrics of the SDK (its pollers, slots, schedule-to-start and request latencies) on the worker's own page. The SDK's core
 * needs its own address to serve them: it gets one on loopback that only this process reads, so that a worker has a single
 * address to scrape and to protect (docs/decisions/0050).
 */
import { createServer, type AddressInfo } from 'node:net';
import type { PrometheusMetricsExporter } from '@temporalio/worker';

export interface SdkMetrics {
  /** For the SDK's `telemetryOptions.metrics`. */
  readonly exporter: PrometheusMetricsExporter;
  /** Prometheus text; empty if the SDK does not answer. Never rejects. */
  readonly text: () => Promise<string>;
}

const WITHIN_MS = 2_000;

export async function openSdkMetrics(): Promise<SdkMetrics> {
  const bindAddress = `127.0.0.1:${await freePort()}`;
  return {
    exporter: {
      // Names as Prometheus wants them: `_total`, `_seconds`.
      prometheus: { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true },
    },
    text: async () => {
      try {
        const answer = await fetch(`http://${bindAddress}/metrics`, { signal: AbortSignal.timeout(WITHIN_MS) });
        return answer.ok ? await answer.text() : '';
      } catch {
        return '';
      }
    },
  };
}

/** The port is chosen here, because the SDK would not report one that it chooses. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
