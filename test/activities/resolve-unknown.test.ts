/**
 * The resolver against the sandbox's charge book, without Temporal: calls of every kind are cut at random, before or after
 * their charge, in each debit dialect; what free evidence decides must be what the book says. Time is moved by hand.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { noteQuietBalance, type ActivityDeps } from '../../src/activities/index.js';
import { takeListing } from '../../src/activities/evidence/listing.js';
import type { JsonObject, Parameters } from '../../src/contract/index.js';
import type { CallOutcome, ResolveUnknownInput } from '../../src/protocol/index.js';
import type { Charge, SandboxOptions } from '../../sandbox/index.js';
import { createRandom } from '../../soak/random.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { accountOf, charge, newCall, resolveUnknown, untilNoted } from './calls.js';
import { withActivities } from './with-activities.js';

/** Calls per world; more of them with TRAMITA_EVIDENCE_CALLS. */
const CALLS = Number(process.env['TRAMITA_EVIDENCE_CALLS'] ?? 12);
const SEED = Number(process.env['TRAMITA_EVIDENCE_SEED'] ?? 20_261_121);

type Kind = (n: number) => { readonly operation: string; readonly params?: Parameters; readonly body?: JsonObject };
const KINDS: readonly Kind[] = [
  () => ({ operation: 'requestRefresh', params: { cnj: newCase() } }),
  () => ({ operation: 'requestSummary', params: { cnj: newCase() } }),
  () => ({ operation: 'getCase', params: { cnj: newCase() } }),
  () => ({ operation: 'listMovements', params: { cnj: newCase() } }),
  () => ({ operation: 'searchTerm', params: { q: 'acme' } }),
  (n) => ({ operation: 'createNoticeMonitor', body: { oabs: [`SP:${50_000 + n}`, `RJ:${50_000 + n}`] } }),
  // The same radar again and again: the service creates another one each time.
  () => ({ operation: 'createRadar', body: { termo: 'Radar', tribunais: ['TJSP'] } }),
  () => ({ operation: 'createCaseMonitor', body: { numero_cnj: newCase() } }),
  (n) => ({
    operation: 'updateNoticeMonitor',
    params: { oab_numero: '40000', oab_estado: 'SP' },
    body: { termos_auxiliares: [`Term ${n}`] },
  }),
  () => ({ operation: 'getAvailability' }),
];
/** Queries that answer 202 in some worlds. */
const PENDING = [
  ...['getCase', 'listMovements', 'searchTerm', 'createRadar', 'createCaseMonitor'],
  ...['listRadars', 'listNoticeMonitors'],
];
const FAULTS = [
  undefined,
  { fault: 'F1' },
  { fault: 'F3' },
  { fault: 'F4' },
  { fault: 'F5' },
  { fault: 'F6' },
  { fault: 'F9' },
];

jest.setTimeout(120_000);

type Fate = 'answered' | 'not charged' | 'found' | 'charged, lost' | 'lost' | 'parks';
interface Verdict {
  readonly operation: string;
  readonly fault: string;
  readonly fate: Fate;
  readonly charges: number;
  readonly wrong: boolean;
}

describe.each<[string, Readonly<Record<string, unknown>>, SandboxOptions]>([
  [
    'debited at the answer',
    { exclusive: true, debitAt: 'answer', refunds: 'never' },
    { dialect: { debitAt: 'answer' } },
  ],
  [
    'debited at the answer, every query answers 202',
    { exclusive: true, debitAt: 'answer', refunds: 'never' },
    { dialect: { debitAt: 'answer', pending: PENDING } },
  ],
  [
    'debited at completion, every query answers 202',
    { exclusive: true, debitAt: 'completion', refunds: 'never' },
    { dialect: { debitAt: 'completion', pending: PENDING }, queryMs: 150, refreshMs: 150 },
  ],
  [
    'debited at an unknown time',
    { exclusive: true },
    { dialect: { debitAt: 'completion', pending: PENDING }, queryMs: 150, refreshMs: 150 },
  ],
  ['shared with others', { debitAt: 'answer' }, { dialect: { debitAt: 'answer', records: 'as-spec' } }],
])('an account that is %s', (_what, account, sandboxOptions) => {
  const world = withWorld(account, { refreshMs: 100, queryMs: 50, ...sandboxOptions });

  it('gets no decision about a charge that is wrong', async () => {
    const random = createRandom(SEED);
    await world.call({
      operation: 'createNoticeMonitor',
      body: { oabs: ['SP:40000'], termos_auxiliares: ['Before'] },
    });
    const verdicts: Verdict[] = [];
    for (let n = 0; n < CALLS; n += 1) {
      const kind = KINDS[n % KINDS.length] as Kind;
      const fault = FAULTS[random.integer(FAULTS.length)];
      verdicts.push(await world.judge(kind(n), fault));
    }
    expect(verdicts.filter(({ wrong }) => wrong)).toEqual([]);
    const undecided = verdicts.filter(({ fate }) => fate === 'parks');
    if (tellsByBalance(account)) expect(undecided).toEqual([]);
    // Without proof by the balance a call that may be charged is never decided as not charged.
    else
      expect(
        verdicts.filter(({ fate, operation }) => fate === 'not charged' && operation !== 'getAvailability'),
      ).toEqual([]);
    const listed = verdicts.filter(({ operation, charges }) => /Radar|NoticeMonitor/.test(operation) && charges > 0);
    expect(listed.filter(({ fate }) => fate !== 'answered' && fate !== 'found')).toEqual([]);
    expect(verdicts.some(({ fate }) => fate === 'found')).toBe(true);
  });
});

function tellsByBalance(account: Readonly<Record<string, unknown>>): boolean {
  return account['exclusive'] === true && account['debitAt'] === 'answer';
}

describe('a balance', () => {
  const world = withWorld({ exclusive: true, debitAt: 'answer', refunds: 'never' }, { dialect: { debitAt: 'answer' } });
  const refused = { operation: 'getCase', params: { cnj: newCase() } };

  it('proves "not charged" only after the call must be over, because the service may still be at work', async () => {
    await untilNoted(world.deps());
    await world.fault({ operation: 'getCase', fault: 'F3' });
    const { input } = await world.call(refused);
    const early = until(() => resolveUnknown(world.deps(), input).then(unlessNotQuiet));
    await expect(early).rejects.toMatchObject({
      type: 'NotYet',
      message: expect.stringContaining('may still charge') as string,
    });
    world.advance(181_000);
    expect(await world.resolved(input)).toMatchObject({ outcome: 'NOT_SENT' });
  });

  it.each(['of this worker is ahead', 'of the worker of the call was behind'])(
    'proves "not charged" no sooner when the clock %s',
    async (clock) => {
      const calledAtMs = world.deps().clock.nowMs();
      await untilNoted(world.deps());
      await world.fault({ operation: 'getCase', fault: 'F3' });
      const { input } = await world.call({ operation: 'getCase', params: { cnj: newCase() } });
      world.advance(600_000);
      const nowMs = world.deps().clock.nowMs();
      const { workflowId, firstRunId, step, ordinal } = input;
      const facts = { workflowId, firstRunId, step, ordinal, workflowType: '', flags: [] };
      const [attempt, attemptScheduledAtMs] = clock.startsWith('of this')
        ? [{ ...facts, askedAtMs: calledAtMs }, calledAtMs + 60_000]
        : [{ ...facts, askedAtMs: calledAtMs, sentAtMs: nowMs - 60_000 }, nowMs];
      const asker = { workflowType: '', scheduledAtMs: attemptScheduledAtMs, attemptScheduledAtMs };
      const early = until(() => resolveUnknown(world.deps(), { ...input, attempt }, asker).then(unlessNotQuiet));
      await expect(early).rejects.toMatchObject({
        type: 'NotYet',
        message: expect.stringContaining('may still charge') as string,
      });
      expect(await world.resolved(input)).toMatchObject({ outcome: 'NOT_SENT' });
    },
  );

  it('proves nothing while another call is unknown, until a person has decided one of them', async () => {
    await untilNoted(world.deps());
    await world.fault({ operation: 'getCase', fault: 'F3', times: 2 });
    const first = await world.call({ operation: 'getCase', params: { cnj: newCase() } });
    const second = await world.call({ operation: 'getCase', params: { cnj: newCase() } });
    world.advance(181_000);
    expect(await resolveUnknown(world.deps(), first.input)).toMatchObject({
      outcome: 'UNKNOWN',
      looked: expect.stringContaining('could not be read while no call of the account was in progress') as string,
    });
    const [row] = await world.deps().ledger.list({ account: 'default', state: 'unknown', limit: 1 });
    await world.deps().ledger.decide({ intentId: row?.intentId ?? '', decision: 'not-charged', by: 'ana' });
    expect(await world.resolved(first.input)).toMatchObject({ outcome: 'NOT_SENT' });
    expect(await world.resolved(second.input)).toMatchObject({ outcome: 'NOT_SENT' });
  });

  it('that cannot be read decides nothing', async () => {
    await untilNoted(world.deps());
    await world.fault({ operation: 'getCase', fault: 'F3' });
    const { input } = await world.call({ operation: 'getCase', params: { cnj: newCase() } });
    world.advance(181_000);
    await world.fault({ operation: 'getBalance', fault: 'F18', times: 40 });
    expect(await resolveUnknown(world.deps(), input)).toMatchObject({ outcome: 'UNKNOWN' });
  });
});

describe('a balance of a service that may refund charges', () => {
  const world = withWorld({ exclusive: true, debitAt: 'answer' }, { dialect: { debitAt: 'answer' } });

  it('proves a charge, and never that there was none, because a refund would look the same', async () => {
    await untilNoted(world.deps());
    await world.fault({ operation: 'getCase', fault: 'F3' });
    const unpaid = await world.call({ operation: 'getCase', params: { cnj: newCase() } });
    world.advance(181_000);
    const outcome = await world.resolved(unpaid.input);
    expect(outcome).toMatchObject({ outcome: 'UNKNOWN', looked: expect.stringContaining('a refund') as string });
    await world.deps().ledger.decide({ intentId: outcome.intentId ?? '', decision: 'not-charged', by: 'ana' });

    await untilNoted(world.deps());
    await world.fault({ operation: 'getCase', fault: 'F4' });
    const paid = await world.call({ operation: 'getCase', params: { cnj: newCase() } });
    expect(await world.resolved(paid.input)).toMatchObject({ outcome: 'CHARGED_LOST', provenPaid: true });
  });
});

describe('a balance that is charged when it is read', () => {
  const world = withWorld({ exclusive: true, debitAt: 'answer', refunds: 'never' }, { dialect: { debitAt: 'answer' } });

  it('proves nothing, and its flow learns what the read has cost', async () => {
    await untilNoted(world.deps());
    await world.fault({ operation: 'getCase', fault: 'F3' });
    const { input } = await world.call({ operation: 'getCase', params: { cnj: newCase() } });
    world.advance(181_000);
    const body = { error: { code: 'NOTHING_YET' }, meta: { creditsCharged: 0.05, requestId: 'meta-1' } };
    await world.fault({ operation: 'getBalance', fault: 'status', status: 404, body, times: 1 });
    expect(await resolveUnknown(world.deps(), input)).toMatchObject({
      outcome: 'UNKNOWN',
      unexpected: { operation: 'getBalance', amount: '0.05', metaRequestId: 'meta-1' },
    });
  });
});

describe('a listing as evidence', () => {
  const world = withWorld({}, {});

  it('that cannot be read delays the call for some tries only, and decides nothing afterwards', async () => {
    await world.fault({ operation: 'listRadars', fault: 'status', status: 503, times: 3 });
    const input = newCall('createRadar', { params: {}, body: { termo: 'Away' } });
    const take = (attempt: number) =>
      takeListing(world.deps(), input, { signal: AbortSignal.timeout(30_000), attempt });
    await expect(take(1)).rejects.toMatchObject({ type: 'NotYet' });
    expect(await take(3)).toEqual({ complete: false });
    await world.fault({ operation: 'createRadar', fault: 'F4' });
    await charge(world.deps(), input);
    const looked = async () => (await resolveUnknown(world.deps(), input)).looked;
    expect(await looked()).toContain('the listing (no answer)');
    expect(await looked()).toContain('not read completely before the call');
  });

  it('decides a call in spite of undecided calls of long ago', async () => {
    const call = async (workflowId: string) => {
      // The listing does not show the second member.
      const body = { termo: 'Dark', desativadoEm: workflowId };
      const input = newCall('createRadar', { workflowId, params: {}, body });
      await takeListing(world.deps(), input, { signal: AbortSignal.timeout(30_000), attempt: 1 });
      await world.fault({ operation: 'createRadar', fault: workflowId.endsWith('first') ? 'F3' : 'F4' });
      await charge(world.deps(), input);
      return resolveUnknown(world.deps(), input);
    };
    expect(await call('evidence/dark/first')).toMatchObject({ outcome: 'UNKNOWN' });
    expect((await call('evidence/dark/second')).looked).toContain('may belong to another undecided call');
    world.advance(2 * 86_400_000);
    expect(await call('evidence/dark/third')).toMatchObject({ outcome: 'DONE' });
  });

  it('from before the send counts as it was when the intent was written', async () => {
    const input = newCall('createRadar', { params: {}, body: { termo: 'Frozen' } });
    const taking = { signal: AbortSignal.timeout(30_000), attempt: 1 };
    expect(await takeListing(world.deps(), input, taking)).toEqual({ complete: true });
    await world.fault({ operation: 'createRadar', fault: 'F4' });
    await charge(world.deps(), input);
    // A workflow reset reads the listing again when the radar exists already.
    await takeListing(world.deps(), input, taking);
    expect(await resolveUnknown(world.deps(), input)).toMatchObject({ outcome: 'DONE' });
  });
});

describe('an account that is no longer configured', () => {
  const world = withWorld({}, {});

  it('is reported as not asked', async () => {
    await world.fault({ operation: 'requestRefresh', fault: 'F3' });
    const { input, sent } = await world.call({ operation: 'requestRefresh', params: { cnj: newCase() } });
    expect(sent.outcome).toBe('UNKNOWN');
    const { looked } = await resolveUnknown({ ...world.deps(), accounts: new Map() }, input);
    expect(looked).toBe(`the service (not asked: this worker has no account "default")`);
  });
});

function withWorld(account: Readonly<Record<string, unknown>>, options: SandboxOptions) {
  const { deps, control, advance } = withActivities({ account, sandbox: options, movable: true });
  const charges = async (): Promise<readonly Charge[]> => (await control<{ charges: Charge[] }>('/charges')).charges;

  const world = {
    deps,
    advance,
    fault: (fault: object) => control('/faults', fault),
    resolved: (input: ResolveUnknownInput) => resolved(deps(), input, advance),
    async call(made: ReturnType<Kind>) {
      const { operation, params = {}, ...body } = made;
      const input = newCall(operation, { params, ...body, view: 'body' });
      if (deps().catalogue.operationOf(operation).evidence === 'listing') {
        await takeListing(deps(), input, { signal: AbortSignal.timeout(30_000), attempt: 1 });
      }
      return { input, sent: await charge(deps(), input) };
    },
    /** Makes one call with a fault, and compares what was decided about it with the charge book. */
    async judge(made: ReturnType<Kind>, fault: object | undefined): Promise<Verdict> {
      if (tellsByBalance(account)) await untilNoted(deps());
      else await noteQuietBalance(deps(), accountOf(deps()));
      const before = new Set((await charges()).map(({ n }) => n));
      if (fault !== undefined) await world.fault({ operation: made.operation, ...fault });
      const { input, sent } = await world.call(made);
      const undecided = sent.outcome === 'UNKNOWN' || sent.outcome === 'CHARGED_LOST';
      const decided = undecided ? await world.resolved(input) : sent;
      // Accepted work ends now, with its debit if that comes late.
      await sleep(Math.max(options.queryMs ?? 50, options.refreshMs ?? 100) + 50);
      const own = (await charges()).filter(
        ({ n, reason, operation }) => !before.has(n) && reason !== 'recurring' && operation === made.operation,
      );
      const paid = own.reduce((sum, { amount }) => sum + amount, 0);
      const fate = undecided ? fateOf(decided) : 'answered';
      await tidyUp(deps(), decided);
      const { intentId = '' } = decided;
      const row = await deps().ledger.find(intentId);
      const isWrong =
        own.length > 1 ||
        (fate === 'not charged' && paid > 0) ||
        (fate === 'charged, lost' && paid !== row?.charged) ||
        (fate === 'found' && paid === 0 && made.operation !== 'updateNoticeMonitor');
      const { operation } = made;
      return { operation, fault: JSON.stringify(fault ?? {}), fate, charges: own.length, wrong: isWrong };
    },
  };
  return world;
}

function unlessNotQuiet(outcome: CallOutcome): CallOutcome | undefined {
  return outcome.looked?.includes('while no call of the account was in progress') === true ? undefined : outcome;
}

/**
 * Runs the resolver like Temporal, again whenever it says "not yet", and like a flow, again when the account was not quiet. A long
 * transaction in any database of the server, also of another test file, keeps an account from being quiet.
 */
async function resolved(
  deps: ActivityDeps,
  input: ResolveUnknownInput,
  advance: (ms: number) => void,
): Promise<CallOutcome> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    try {
      const outcome = unlessNotQuiet(await resolveUnknown(deps, input));
      if (outcome !== undefined) return outcome;
    } catch (error) {
      const { type, nextRetryDelay } = error as { type?: string; nextRetryDelay?: number };
      if (type !== 'NotYet') throw error;
      advance(nextRetryDelay ?? 1_000);
    }
  }
  throw new Error('the resolver does not end');
}

function fateOf(outcome: CallOutcome): Fate {
  switch (outcome.outcome) {
    case 'NOT_SENT':
      return 'not charged';
    case 'DONE':
    case 'PENDING':
      return 'found';
    case 'CHARGED_LOST':
      return outcome.charged === null ? 'lost' : 'charged, lost';
    default:
      return 'parks';
  }
}

/** Leaves nothing under way, so that the next call is judged by itself. */
async function tidyUp(deps: ActivityDeps, { outcome, intentId = '' }: CallOutcome): Promise<void> {
  if (outcome === 'PENDING') await deps.ledger.settle(intentId, { state: 'done', finalState: 'done' });
  if (outcome === 'UNKNOWN') await deps.ledger.decide({ intentId, decision: 'abandon', by: 'test' });
}
