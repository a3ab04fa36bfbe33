/** The OpenAPI description is complete, and the sandbox keeps to it under 5,000 generated requests. */
import fc from 'fast-check';
import { OPERATIONS } from '../../src/contract/index.js';
import { checkerOf } from './support/check-openapi.js';
import { goodCalls } from './support/calls.js';
import { closeSandboxes, createFastClient, start, type Reply } from './support/client.js';

afterEach(closeSandboxes);

test('the OpenAPI description has every operation of the catalogue with its parameters, and needs no key', async () => {
  const sandbox = await start();
  const { description, operations } = await checkerOf(sandbox);
  expect(description.openapi).toBe('3.1.0');
  for (const operation of OPERATIONS) {
    const described = operations.get(operation.id)!;
    expect(Object.keys(description.paths)).toContain(operation.path);
    const names = operation.parameters.filter((parameter) => parameter.in !== 'body').map(({ name }) => name);
    expect(described.parameters.map(({ name }) => name)).toEqual(names);
    expect(Object.keys(described.responses)).toEqual(
      expect.arrayContaining(['401', '403', '404', '422', '429', '500']),
    );
  }
});

test('the OpenAPI check reports an answer that differs from the description', async () => {
  const sandbox = await start();
  const { problems } = await checkerOf(sandbox);
  const good = await sandbox.get('/v1/conta/saldo');
  expect(problems('getBalance', good)).toEqual([]);
  expect(problems('getBalance', { ...good, json: { data: { credits: [] } } as unknown as Reply['json'] })).not.toEqual(
    [],
  );
  expect(problems('getBalance', { ...good, status: 418 })).not.toEqual([]);
});

const CASES = 5_000;
const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '1',
    '0',
    '-1',
    '1.5',
    '999999999',
    '99999999999999999999',
    'SP:1',
    'SP:100001',
    'TSE',
    '2026-02-30',
    '2026-09-01',
    '1900-01-01',
    '2100-12-31',
    'true',
    'null',
    '[]',
    '__proto__',
    'constructor',
    '../..',
    '%00',
    'precatório',
    '2027',
    '\u202e',
  ),
  fc.integer().map(String),
);
const json = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant(undefined));

test(`${CASES} generated requests get no 5xx, and every answer is as described`, async () => {
  const sandbox = await start({
    refreshMs: 0,
    rateLimits: { legacyPerMinute: 0 },
    requestLogSize: 100,
    openingBalance: '1000000',
  });
  const { problems } = await checkerOf(sandbox);
  const good = new Map((await goodCalls(sandbox)).map((call) => [call.operation, call]));
  const client = createFastClient(sandbox.url);
  const cases = fc.sample(
    fc.record({
      operation: fc.constantFrom(...OPERATIONS),
      path: fc.option(words, { nil: undefined }),
      values: fc.array(fc.tuple(fc.nat(), words), { maxLength: 5 }),
      more: fc.array(fc.tuple(words, words), { maxLength: 2 }),
      body: fc.oneof(
        json.map((value) => (value === undefined ? '' : JSON.stringify(value))),
        fc.string(),
        fc
          .dictionary(
            fc.constantFrom(
              'oabs',
              'termo',
              'numero_cnj',
              'webhook_url',
              'frequencia',
              'origens_ids',
              'termos_auxiliares',
              'oab_numero',
              'oab_estado',
              '__proto__',
            ),
            fc.jsonValue({ maxDepth: 2 }),
          )
          .map((value) => JSON.stringify(value)),
      ),
    }),
    { numRuns: CASES, seed: 20_261_120 },
  );
  const failures: unknown[] = [];
  const statuses = new Map<number, number>();
  const run = async ({ operation, path, values, more, body }: (typeof cases)[number]): Promise<void> => {
    const names = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    const query = [
      ...values.flatMap(([n, value]): [string, string][] =>
        names.length === 0 ? [] : [[names[n % names.length]!, value]],
      ),
      ...more,
    ]
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .join('&');
    const known = good.get(operation.id)!.path.split('?')[0]!;
    const place = path === undefined ? known : operation.path.replace(/\{\w+\}/g, encode(path));
    const target = query === '' ? place : `${place}?${query}`;
    const sent = operation.method === 'GET' ? undefined : body;
    const answer = await client.call(operation.method, target, sent);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    // A path value that changes the path (empty, dots) leads to another operation, or to none.
    const routed = answer.status === 404 || answer.status === 0 || path === undefined;
    const wrong =
      answer.status >= 500 || answer.status === 0
        ? [`status ${answer.status}`]
        : routed
          ? problems(operation.id, answer)
          : [];
    if (wrong.length > 0 && !(operation.answer === 'legacy' && answer.status === 404))
      failures.push({ method: operation.method, target, sent, wrong });
  };
  for (let at = 0; at < cases.length; at += 50) await Promise.all(cases.slice(at, at + 50).map(run));
  client.close();
  expect(failures).toEqual([]);
  expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(CASES);
  // Enough requests must succeed: a fuzz test whose requests are all refused would find nothing.
  expect(statuses.get(200)).toBeGreaterThan(CASES / 10);
}, 240_000);

function encode(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/g, '?'));
}
