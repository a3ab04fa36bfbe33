/** The portfolio watches a refresh while Temporal is briefly unavailable: each look ends, whatever the SDK retries. */
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { loadTemporalConnection, resolveConfig } from '../../src/config/index.js';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/index.js';
import { createStarterDeps } from '../../src/config/starter-deps.js';
import { connectClient } from '../../src/temporal-client/index.js';
import { createSweepRuns } from '../../src/workers/sweep-runs.js';
import { listen } from '../../soak/loopback.js';

const UNAVAILABLE = '14';
const RUN = { workflowId: 'refresh.default.10000015120268260100', runId: '1c6a1f0e-0b0d-4c39-a0ac-0a7a0e6d3f11' };
const LOOK_EVERY_MS = 3_000;
/** Longer than a look, so that the second attempt is the one that is ended. */
const LONG_POLL_MS = 20_000;
/** As Temporal does: an empty answer a second before the caller's deadline, at once where it is nearer. */
function longPollMs(timeout: string): number {
  const ms = Number(timeout.slice(0, -1)) * (timeout.endsWith('m') ? 1 : 1_000);
  return Math.max(0, Math.min(LONG_POLL_MS, ms - 1_000));
}
const NOTHING_NEW = temporal.api.workflowservice.v1.GetWorkflowExecutionHistoryResponse.encode({
  nextPageToken: new Uint8Array([1]),
}).finish();

let server: Http2Server;
let address: string;
let streams: Set<ServerHttp2Stream>;
let looks = 0;

/** Answers the wait for the end: unavailable once, then always without news, as for a parked flow. */
function answer(stream: ServerHttp2Stream, path: string, timeout: string): void {
  if (path.endsWith('/GetWorkflowExecutionHistory')) {
    looks += 1;
    if (looks === 1) stream.respond({ ...HEAD, 'grpc-status': UNAVAILABLE }, { endStream: true });
    else setTimeout(() => send(stream, NOTHING_NEW), longPollMs(timeout)).unref();
    return;
  }
  const { DescribeWorkflowExecutionResponse } = temporal.api.workflowservice.v1;
  const attention = {
    metadata: { encoding: text('json/plain'), type: text('Keyword') },
    data: text('"unknown-charge"'),
  };
  send(
    stream,
    DescribeWorkflowExecutionResponse.encode({
      workflowExecutionInfo: {
        execution: RUN,
        type: { name: 'refreshCase' },
        status: temporal.api.enums.v1.WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING,
        startTime: {},
        searchAttributes: { indexedFields: { [SEARCH_ATTRIBUTES.attention]: attention } },
      },
    }).finish(),
  );
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const HEAD = { ':status': 200, 'content-type': 'application/grpc' } as const;

function send(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (stream.destroyed) return;
  stream.respond(HEAD, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  stream.end(Buffer.concat([head, message]));
}

beforeEach(async () => {
  looks = 0;
  streams = new Set();
  server = createServer();
  server.on('stream', (stream, headers) => {
    streams.add(stream.on('error', () => undefined));
    stream.resume();
    answer(stream, String(headers[':path']), String(headers['grpc-timeout']));
  });
  address = await listen(server);
});
afterEach(async () => {
  for (const stream of streams) stream.session?.destroy();
  await new Promise((resolve) => server.close(resolve));
});

async function watchRefresh(signal: AbortSignal): Promise<unknown> {
  const env = { TEMPORAL_ADDRESS: address, TRAMITA_ID_KEY: 'k'.repeat(32) };
  const connection = connectClient(loadTemporalConnection(env));
  const config = resolveConfig({ env, overrides: { withoutApiKeys: true } });
  const sweep = createSweepRuns(createStarterDeps(config, new Client({ connection })), LOOK_EVERY_MS);
  try {
    return await sweep.watch(RUN, signal);
  } finally {
    await connection.close();
  }
}

test('watch reports a parked refresh although the SDK retried the call that waits for its end', async () => {
  await expect(watchRefresh(new AbortController().signal)).resolves.toEqual({
    kind: 'parked',
    attention: 'unknown-charge',
  });
  expect(looks).toBeLessThanOrEqual(3);
});

test('watch rejects when its shift is aborted', async () => {
  const shift = new AbortController();
  setTimeout(() => shift.abort(), 1_500);
  await expect(watchRefresh(shift.signal)).rejects.toThrow();
  expect(shift.signal.aborted).toBe(true);
});
