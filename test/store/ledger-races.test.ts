/** Concurrent openings and settlements: in any interleaving one call is sent, and caps hold. */
import { randomUUID } from 'node:crypto';
import { withDatabase } from '../support/database.js';
import {
  REQUEST_ID,
  amount,
  elsewhere,
  incomingEvent,
  intentOf,
  listConflicts,
  makeLedger,
  openCall,
  refreshRequest,
  spentOf,
} from './support.js';

const database = withDatabase();
const ROUNDS = 25;

const verdictsOf = (verdicts: readonly { kind: string }[]): string[] => verdicts.map(({ kind }) => kind).sort();

test('of two runs that open the same call at once, one sends and the other waits for it', async () => {
  const { ledger } = makeLedger(database.db);
  for (let round = 0; round < ROUNDS; round += 1) {
    const request = refreshRequest();
    const both = await Promise.all([ledger.openIntent(request), ledger.openIntent(elsewhere(request))]);
    expect(verdictsOf(both)).toEqual(['open elsewhere', 'send']);
  }
});

test('of two attempts at the same step at once, one sends and the other is ambiguous', async () => {
  const { ledger } = makeLedger(database.db);
  for (let round = 0; round < ROUNDS; round += 1) {
    const request = refreshRequest();
    const second = { ...request, attemptToken: randomUUID() };
    const both = await Promise.all([ledger.openIntent(request), ledger.openIntent(second)]);
    expect(verdictsOf(both)).toEqual(['ambiguous', 'send']);
  }
});

test('of runs that open the same once key at once, exactly one sends', async () => {
  const { ledger } = makeLedger(database.db);
  const request = refreshRequest({ once: randomUUID() });
  const runs = Array.from({ length: 12 }, () => elsewhere(request));
  const verdicts = verdictsOf(await Promise.all(runs.map((run) => ledger.openIntent(run))));
  expect(verdicts.filter((verdict) => verdict === 'send')).toHaveLength(1);
  expect(verdicts.filter((verdict) => verdict === 'open elsewhere')).toHaveLength(11);
});

test('fifty flows over two connection pools never pass the cap of a day', async () => {
  const settings = {
    accounts: { capped: { maxSpendPerDay: amount(10_000) } },
    prices: { default: amount(5_000), requestRefresh: amount(1_500) },
  };
  // One account is one queue: the last of fifty waits for all others.
  const patient = { max: 10, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 };
  const ledgers = [1, 2].map(() => makeLedger(database.connect(patient), { settings }).ledger);
  const verdicts = await Promise.all(
    Array.from({ length: 50 }, (_, index) => ledgers[index % 2]!.openIntent(refreshRequest({ account: 'capped' }))),
  );
  expect(verdicts.filter(({ kind }) => kind === 'send')).toHaveLength(6);
  expect(verdicts.filter(({ kind }) => kind === 'over budget')).toHaveLength(44);
  const rows = await ledgers[0]!.list({ account: 'capped' });
  expect(rows.reduce((sum, row) => sum + row.reserved, 0)).toBe(9_000);
});

test('concurrent steps of one flow never pass its cap', async () => {
  const { ledger } = makeLedger(database.db, { settings: { prices: { default: amount(400) } } });
  const run = refreshRequest();
  const verdicts = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      ledger.openIntent({
        ...refreshRequest(),
        workflowId: run.workflowId,
        firstRunId: run.firstRunId,
        step: `page/${index}`,
        maxSpend: amount(2_000),
      }),
    ),
  );
  expect(verdicts.filter(({ kind }) => kind === 'send')).toHaveLength(5);
});

test('a run that begins to wait during a settlement is woken or gets its result', async () => {
  const { ledger } = makeLedger(database.db);
  for (let round = 0; round < ROUNDS; round += 1) {
    const request = refreshRequest();
    const { intentId } = intentOf(await ledger.openIntent(request));
    const waiting = elsewhere(request);
    const [settled, verdict] = await Promise.all([
      ledger.settle(intentId, { state: 'pending', requestId: randomUUID() }),
      ledger.openIntent(waiting),
    ]);
    if (verdict.kind === 'open elsewhere') expect(settled.wakes).toMatchObject([{ workflowId: waiting.workflowId }]);
    else expect(verdict).toMatchObject({ kind: 'stored', intent: { joined: intentId, state: 'pending' } });
  }
});

test('an event that comes while the 202 is being settled is either seen or wakes the flow', async () => {
  const { ledger, inbox } = makeLedger(database.db);
  for (let round = 0; round < ROUNDS; round += 1) {
    const request = refreshRequest({ waiterKeys: [] });
    const { intentId } = intentOf(await ledger.openIntent(request));
    const requestId = randomUUID();
    const [settled, recorded] = await Promise.all([
      ledger.settle(intentId, { state: 'pending', requestId }),
      inbox.record(incomingEvent({ keys: [`request:${requestId}`] })),
    ]);
    expect([settled.eventSeen, recorded.wakes.length > 0]).toContain(true);
  }
});

test('two pollers that settle one row at once charge it once', async () => {
  const { ledger, request, intentId } = await openCall(database.db);
  await ledger.settle(intentId, { state: 'pending', requestId: REQUEST_ID });
  const final = { state: 'done', httpStatus: 200, charged: amount(1_200), requestId: REQUEST_ID } as const;
  const both = await Promise.all([ledger.settle(intentId, final), ledger.settle(intentId, final)]);
  expect(both.map(({ applied }) => applied)).toEqual([true, true]);
  expect(await spentOf(database.db, request)).toEqual({ known: 1_200, unknown: 0 });
  expect(await listConflicts(database.db)).toEqual([]);
});

test('of decisions at once that name one request for different calls, one is taken and the others are refused', async () => {
  const { ledger } = makeLedger(database.db);
  for (let round = 0; round < 5; round += 1) {
    const account = randomUUID();
    const calls = await Promise.all(
      [1, 2, 3].map(async () => intentOf(await ledger.openIntent(refreshRequest({ account }))).intentId),
    );
    await Promise.all(calls.map((intentId) => ledger.settle(intentId, { state: 'unknown' })));
    const requestId = randomUUID();
    const decided = await Promise.allSettled(
      calls.map((intentId, index) =>
        ledger.decide({ intentId, decision: 'charged', requestId, by: `person ${index}` }),
      ),
    );
    const refused = decided.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
    expect(refused).toEqual([
      expect.stringContaining('request of another call'),
      expect.stringContaining('request of another call'),
    ]);
    expect((await ledger.list({ account, state: 'pending' })).map((row) => row.requestId)).toEqual([requestId]);
  }
});
