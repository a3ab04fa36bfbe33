/** Spans of exchanges with the service. Whatever can be recorded of an exchange, its answer, which may be paid, is returned. */
import { OPERATIONS, withExtraOperations } from '../../src/contract/index.js';
import type { Exchange, ServiceClient } from '../../src/http/index.js';
import type { EndedSpan, Traces } from '../../src/traces/index.js';
import { tracedClient } from '../../src/workers/call-traces.js';

const body = Buffer.from(JSON.stringify({ data: {}, meta: { requestId: 'm-1', creditsCharged: 0.05 } }));
const ANSWER: Exchange = { kind: 'answer', head: { status: 200, headers: {}, receivedAtMs: 0 }, body };

function traced(note: Traces['note']): ServiceClient {
  const client = { send: () => Promise.resolve(ANSWER), close: () => undefined };
  const account = { name: 'default', serverErrors: 'unknown', catalogue: withExtraOperations(OPERATIONS, []) } as const;
  return tracedClient(client, { note }, account);
}

const send = (client: ServiceClient, operation?: string): Promise<Exchange> =>
  client.send(
    { method: 'GET', target: '/v1/x', ...(operation === undefined ? {} : { operation }) },
    { totalMs: 1, keepAlive: true },
  );

it('have the operation, what it cost and how it ended', async () => {
  const spans: EndedSpan[] = [];
  expect(
    await send(
      traced((span) => void spans.push(span)),
      'getCase',
    ),
  ).toBe(ANSWER);
  expect(spans).toMatchObject([
    {
      name: 'HTTP getCase',
      facts: { 'tramita.outcome': 'DONE', 'tramita.charged': 0.05, 'http.response.status_code': 200 },
    },
  ]);
});

it.each([undefined, 'notInTheCatalogue'])('of the operation %s lose no answer', async (operation) => {
  const spans: EndedSpan[] = [];
  expect(
    await send(
      traced((span) => void spans.push(span)),
      operation,
    ),
  ).toBe(ANSWER);
  expect(spans).toMatchObject([{ name: `HTTP ${operation ?? 'unknown'}`, facts: { 'tramita.exchange': 'answer' } }]);
});

it('that cannot be recorded lose no answer', async () => {
  const client = traced(() => {
    throw new Error('the exporter is broken');
  });
  expect(await send(client, 'getCase')).toBe(ANSWER);
});
