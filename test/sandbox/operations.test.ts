/** Every operation through real HTTP, in every dialect: it answers, as described, and what it charges is in the book. */
import { OPERATIONS, readMeta } from '../../src/contract/index.js';
import type { SandboxOptions } from '../../sandbox/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { completeCall, cnjOf, dataOf, GOOD, goodCalls, sendCall, type Call } from './support/calls.js';
import { checkerOf } from './support/check-openapi.js';
import { closeSandboxes, HAPPY, start, type Caller, type Reply } from './support/client.js';

afterEach(closeSandboxes);

/** Each test makes hundreds of calls: the limit stops a hang, not a slow machine. */
jest.setTimeout(120_000);

const DIALECTS: Readonly<Record<string, SandboxOptions['dialect']>> = {
  'as-observed': { records: 'as-observed' },
  'as-spec': { records: 'as-spec' },
  mixed: { records: 'mixed' },
  'debit at completion': { debitAt: 'completion' },
  'every eligible call answers 202': { pending: ['*'] },
  'every eligible call answers 202 and is debited at its end': { pending: ['*'], debitAt: 'completion' },
  'id in Location only': { pending: ['*'], pendingIdIn: 'location' },
  'stale status, number as id': { statusLagMs: 60_000, statusIdIs: 'number' },
  'documents behind the key': { documentLinks: 'key-required' },
  'odd refusals': { emptyBody: 'refuse', noCredit: 422, retryAfter: 'date', unreadySummary: 'paid-empty' },
};

test.each(Object.entries(DIALECTS))(
  'dialect "%s": every operation answers as described, and the charge book has what it reported',
  async (_name, dialect) => {
    const sandbox = await start({ ...GOOD, dialect });
    const { problems } = await checkerOf(sandbox);
    const calls = await goodCalls(sandbox);
    expect(new Set(calls.map(({ operation }) => operation))).toEqual(new Set(OPERATIONS.map(({ id }) => id)));
    for (const call of calls) {
      const before = (await sandbox.charges()).length;
      const first = await sendCall(sandbox, call);
      expect({ call: call.operation, problems: problems(call.operation, first) }).toEqual({
        call: call.operation,
        problems: [],
      });
      if (first.status !== 202) expect([call.operation, first.status]).toEqual([call.operation, call.status ?? 200]);
      const final = first.status === 202 ? await finalOf(sandbox, first) : first;
      expect([200, 201]).toContain(final.status);
      const reported = chargedIn(final);
      const booked = (await sandbox.charges()).slice(before);
      expect([call.operation, booked.reduce((sum, { amount }) => sum + amount, 0)]).toEqual([
        call.operation,
        call.operation === 'getRequest' ? 0 : reported,
      ]);
      expect(booked.every(({ operation }) => operation === call.operation)).toBe(true);
    }
  },
);

async function finalOf(sandbox: Caller, pending: Reply): Promise<Reply> {
  return completeCall(sandbox, {
    operation: 'getRequest',
    method: 'GET',
    path: new URL(pending.headers.location!).pathname,
  });
}

/** In 1/10,000. A repeated final answer reports what was paid before. The PDF reports no amount, so its price is fixed here. */
function chargedIn(reply: Reply): number {
  if (reply.headers['content-type'] === 'application/pdf') return 800;
  const header = reply.headers['x-service-credits-charged'];
  if (header !== undefined) return Math.round(Number(header) * 10_000);
  return readMeta(reply.json).charged ?? 0;
}

test('every operation answers 400, 401, 403, 404, 422, 429 and 500 as described', async () => {
  const sandbox = await start({ ...GOOD, rateLimits: { perMinute: 1_000, legacyPerMinute: 1_000 } });
  const { problems } = await checkerOf(sandbox);
  const calls = await goodCalls(sandbox);
  for (const call of calls) {
    for (const status of [400, 401, 403, 404, 422, 429, 500]) {
      const body = call.operation === 'searchLegacy' ? { error: 'some text' } : undefined;
      await sandbox.control('/faults', { operation: call.operation, fault: 'status', status, body });
      const reply = await sendCall(sandbox, call);
      expect(reply.status).toBe(status);
      expect(problems(call.operation, reply)).toEqual([]);
    }
  }
  expect((await sandbox.control('/faults')).json.faults.every(({ fired }) => fired === 1)).toBe(true);
});

test.each([402, 403, 422] as const)(
  'an account without balance is refused with %i, and by the legacy search with 402 and plain text',
  async (status) => {
    const sandbox = await start({ dialect: { noCredit: status } });
    const key = { 'x-api-key': 'empty-key' };
    const refused = await sandbox.get(`/v1/processos/cnj/${HAPPY}`, key);
    expect([refused.status, refused.json.error.code]).toEqual([status, 'INSUFFICIENT_BALANCE']);
    const legacy = await sandbox.get('/v1/busca?q=x', key);
    expect([legacy.status, typeof legacy.json.error]).toEqual([402, 'string']);
    expect(await sandbox.charges()).toEqual([]);
  },
);

test('a fault of each kind strikes every operation and is counted', async () => {
  const sandbox = await start(GOOD);
  const calls: readonly Call[] = await goodCalls(sandbox);
  for (const call of calls) {
    for (const [fault, charged] of [
      ['F1', false],
      ['F4', true],
      ['F6', true],
      ['F9', true],
    ] as const) {
      const before = (await sandbox.charges()).length;
      await sandbox.control('/faults', { operation: call.operation, fault });
      const reply = await sendCall(sandbox, call);
      expect([call.operation, fault, reply.complete && reply.status < 500]).toEqual([call.operation, fault, false]);
      if (!charged) expect(await sandbox.charges()).toHaveLength(before);
    }
  }
  const { faults } = (await sandbox.control('/faults')).json;
  expect(faults.filter(({ fired }) => fired !== 1)).toEqual([]);
});

test('a query answered 202 gives the same final answer again, also after a restart', async () => {
  const dataDir = temporaryFolder('sandbox');
  const options: SandboxOptions = { dataDir, queryMs: 0, dialect: { pending: ['getCase'] } };
  const before = await start(options);
  const call: Call = { operation: 'getCase', method: 'GET', path: `/v1/processos/cnj/${HAPPY}` };
  const pending = await sendCall(before, call);
  const final = await finalOf(before, pending);
  expect(dataOf(final)).toMatchObject({ numero_cnj: HAPPY });
  await closeSandboxes();
  const after = await start(options);
  const again = await after.get(new URL(pending.headers.location!).pathname);
  expect(again.bytes.equals(final.bytes)).toBe(true);
  expect(await after.charges()).toHaveLength(1);
});

test('with pendingFreePages a free page of the lawyer’s list answers 202 and costs nothing', async () => {
  const sandbox = await start({ queryMs: 0, dialect: { pendingFreePages: true } });
  const path = (page: number) => `/v1/advogados/processos?oab_estado=SP&oab_numero=100001&page=${page}`;
  expect((await sandbox.get(path(1))).status).toBe(200);
  const pending = await sandbox.get(path(2));
  expect(pending.status).toBe(202);
  const final = await finalOf(sandbox, pending);
  expect((dataOf(final) as { items: unknown[] }).items).toHaveLength(20);
  expect(await sandbox.charges()).toHaveLength(1);
});

test('a request id answers 404 once requestTtlMs has passed after its end', async () => {
  const sandbox = await start({ refreshMs: 0, requestTtlMs: 60_000 });
  const pending = await sandbox.post(`/v1/processos/cnj/${HAPPY}/solicitar-atualizacao`);
  expect((await finalOf(sandbox, pending)).status).toBe(200);
  await sandbox.control('/clock', { advanceMs: 61_000 });
  expect((await sandbox.get(new URL(pending.headers.location!).pathname)).status).toBe(404);
});

test('a sealed case has masked parties, and a case may become sealed', async () => {
  const sandbox = await start({ refreshMs: 0 });
  const cover = async (name: string) =>
    dataOf(await sandbox.get(`/v1/processos/cnj/${cnjOf(name)}`)) as {
      segredo_justica: boolean;
      titulo_polo_ativo: string;
      fontes: unknown[];
    };
  expect(await cover('sealed')).toMatchObject({ segredo_justica: true, titulo_polo_ativo: 'PARTE SIGILOSA' });
  expect(await cover('becomes-sealed')).toMatchObject({ segredo_justica: false });
  await finalOf(sandbox, await sandbox.post(`/v1/processos/cnj/${cnjOf('becomes-sealed')}/solicitar-atualizacao`));
  expect(await cover('becomes-sealed')).toMatchObject({ segredo_justica: true });
  expect((await cover('three-degrees')).fontes).toHaveLength(3);
});
