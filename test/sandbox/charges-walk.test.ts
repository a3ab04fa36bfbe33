/**
 * A random walk of 10,000 calls over every operation, with faults, in three dialects. Every charge that an answer
 * reports is in the charge book, exact to 1/10,000. Every charge that no answer reports is explained by a fault.
 */
import type { Charge, ReceivedRequest, SandboxOptions } from '../../sandbox/index.js';
import { readBalance, readMeta, readServiceAmount } from '../../src/contract/index.js';
import { createRandom } from '../../soak/random.js';
import { GOOD, goodCalls, type Call } from './support/calls.js';
import { closeSandboxes, createFastClient, start, type Caller, type Reply } from './support/client.js';

afterEach(closeSandboxes);

const WALKS: readonly (readonly [string, number, SandboxOptions['dialect']])[] = [
  ['as observed', 5_000, {}],
  ['mixed records, every eligible call answers 202', 2_500, { records: 'mixed', pending: ['*'] }],
  ['debit at completion, id in Location', 2_500, { debitAt: 'completion', pendingIdIn: 'location' }],
];
const FAULTS = [
  { fault: 'F1' },
  { fault: 'F3' },
  { fault: 'F4' },
  { fault: 'F5' },
  { fault: 'F6', cut: 'chunked' },
  { fault: 'F6', cut: 'close' },
  { fault: 'F7', ms: 1 },
  { fault: 'F8', everyMs: 0, bytes: 100 },
  { fault: 'F9', status: 502 },
  { fault: 'F10' },
  { fault: 'F11' },
  { fault: 'F12', variant: 'json' },
  { fault: 'F12', variant: 'empty' },
  { fault: 'F14' },
  { fault: 'F14', charged: true },
  { fault: 'F13', bytes: 50_000 },
  { fault: 'F15' },
  { fault: 'F16' },
  { fault: 'F17' },
  { fault: 'status', status: 429 },
];

test.each(WALKS)(
  'the charge book matches the answers of a random walk (%s, %i calls)',
  async (_name, steps, dialect) => {
    const sandbox = await start({
      ...GOOD,
      dialect,
      openingBalance: '1000000',
      requestLogSize: 100_000,
      rateLimits: { legacyPerMinute: 0 },
    });
    const calls = await goodCalls(sandbox);
    const earlier = new Set((await sandbox.charges()).map(({ searchLogId }) => searchLogId));
    const beforeRequests = (await sandbox.requests()).length;
    const allReported = await walk(sandbox, { calls, steps, seed: 20_261_120 });
    // A poll of the refresh of the preparation returns its final answer, which reports its earlier charge again.
    const reported = allReported.filter(({ searchLogId }) => !earlier.has(searchLogId));
    const book = (await sandbox.charges()).slice(earlier.size);
    const requests = (await sandbox.requests()).slice(beforeRequests);

    const reportedById = new Map(reported.map((each) => [each.searchLogId, each.amount]));
    const bookById = new Map(book.map((charge) => [charge.searchLogId, charge]));
    expect(book.length).toBeGreaterThan(steps / 4);
    expect(bookById.size).toBe(book.length);
    const wrong = reported.filter(({ searchLogId, amount }) => bookById.get(searchLogId)?.amount !== amount);
    expect(wrong).toEqual([]);
    const unreported = book.filter(({ searchLogId }) => !reportedById.has(searchLogId));
    expect(unexplained(unreported, requests)).toEqual([]);
    const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
    expect(sum([...reportedById.values()]) + sum(unreported.map(({ amount }) => amount))).toBe(
      sum(book.map(({ amount }) => amount)),
    );

    const { faults } = (await sandbox.control('/faults')).json;
    expect(sum(faults.map(({ fired }) => fired))).toBeGreaterThan(steps / 40);
    const left = await balanceOf(sandbox);
    expect(left).toBe(10_000_000_000 - sum((await sandbox.charges()).map(({ amount }) => amount)));
  },
  240_000,
);

interface ReportedCharge {
  readonly searchLogId: string;
  readonly amount: number;
}

/** Sixteen walkers share one seeded random source; the network decides how they interleave. */
async function walk(
  sandbox: Caller,
  facts: { calls: readonly Call[]; steps: number; seed: number },
): Promise<readonly ReportedCharge[]> {
  const client = createFastClient(sandbox.url);
  const random = createRandom(facts.seed);
  const reported: ReportedCharge[] = [];
  const pending: string[] = [];
  let step = 0;
  const walker = async (): Promise<void> => {
    while (step < facts.steps) {
      step += 1;
      if (random.next() < 0.05) {
        const fault = random.pick(FAULTS);
        const { operation } = random.pick(facts.calls);
        await sandbox.control('/faults', { ...fault, operation });
      }
      const poll = random.next() < 0.2 ? pending.pop() : undefined;
      const call = random.pick(facts.calls);
      const answer =
        poll === undefined
          ? await client.call(call.method, call.path, call.body === undefined ? undefined : JSON.stringify(call.body))
          : await client.call('GET', poll);
      if (answer.status === 202 && answer.headers.location !== undefined)
        pending.push(new URL(answer.headers.location).pathname);
      const charge = reportedCharge(answer);
      if (charge !== undefined) reported.push(charge);
    }
  };
  await Promise.all(Array.from({ length: 16 }, walker));
  for (const path of pending) {
    const charge = reportedCharge(await client.call('GET', path));
    if (charge !== undefined) reported.push(charge);
  }
  client.close();
  return reported;
}

/** The charge that a complete answer reports; a cut answer reports none. */
function reportedCharge({ status, headers, json, complete }: Reply): ReportedCharge | undefined {
  if (!complete || status >= 300 || status === 0) return undefined;
  const header = headers['x-service-search-log-id'];
  if (typeof header === 'string' && header !== '') {
    // The PDF answer reports no amount, so this is its price in the interface.
    const isPdf = headers['content-type'] === 'application/pdf';
    return { searchLogId: header, amount: isPdf ? 800 : readServiceAmount(headers['x-service-credits-charged'])! };
  }
  const { charged, searchLogId } = readMeta(json);
  return charged === null || searchLogId === null ? undefined : { searchLogId, amount: charged };
}

/**
 * Charges that no answer reported and no fault explains. A debit with an answer is explained by a fault on that request.
 * A debit at completion is explained by a fault on its poll, or by a fault on its 202, which then named no work to poll.
 * Each lost 202 explains at most one debit.
 */
function unexplained(unreported: readonly Charge[], requests: readonly ReceivedRequest[]): readonly Charge[] {
  const struck = requests.filter(({ fault }) => fault !== null);
  const charged = new Set(struck.map(({ charge }) => charge));
  const polled = struck.filter(({ operation }) => operation === 'getRequest').map(({ target }) => target);
  const lostAnswers = new Map<string, number>();
  for (const { operation, charge } of struck) {
    if (operation !== null && charge === null) lostAnswers.set(operation, (lostAnswers.get(operation) ?? 0) + 1);
  }
  return unreported.filter(({ n, reason, requestId, operation }) => {
    if (reason === 'answer') return !charged.has(n);
    if (polled.some((target) => target.includes(requestId ?? '-'))) return false;
    const left = lostAnswers.get(operation) ?? 0;
    lostAnswers.set(operation, left - 1);
    return left <= 0;
  });
}

/** Faults still armed for the balance operation fire here first, each once. */
async function balanceOf(sandbox: Caller): Promise<number | undefined> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const reply = await sandbox.get('/v1/conta/saldo');
    const { credits } = readBalance(reply.json) ?? {};
    if (reply.complete && credits !== undefined) return credits;
  }
  return undefined;
}
