/**
 * Retention while flows wait: everything that the settings allow is dropped while one flow waits for its refresh, one shares
 * that call, one is parked on an unknown charge and one after it has paid. All of them end as if nothing had been dropped.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { present } from '../../src/contract/index.js';
import { createFiles } from '../../src/files/index.js';
import { createInbox } from '../../src/inbox/index.js';
import { createKeeping, recordAccess, type Keeping } from '../../src/privacy/index.js';
import { resumeFlow, settleCharge, startReadCase, wakeFlow } from '../../src/starters/index.js';
import { newCase, newCaseWithDocuments } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { until } from '../support/until.js';
import { auditFlows } from './audit-flows.js';
import { withFlows } from './with-flows.js';

/** Longer than any test: the sandbox's clock is moved. */
const REFRESH_MS = 3_600_000;
/** The shortest time for which answers and the archive are kept. */
const LEAST_MS = 90 * 86_400_000;
/** A week is the longest `maxAge` of these flows: far longer than anything is kept here. */
const WEEK = '7d';

describe('retention while flows wait', () => {
  const flows = withFlows({ sandbox: { refreshMs: REFRESH_MS } });
  const wakeAll = async (ids: readonly string[]): Promise<void> => {
    await flows.control('/clock', { advanceMs: REFRESH_MS + 1_000 });
    // A flow that has ended meanwhile accepts no signal.
    for (const id of ids) await wakeFlow(flows.client, id, { reason: 'test' }).catch(() => undefined);
  };
  const chargesOf = async (cnj: string): Promise<readonly string[]> =>
    (await flows.charges({ cnj })).map(({ operation }) => operation);
  const rowsIn = async (table: string): Promise<number> =>
    (await sql`select from ${sql.table(`tramita.${table}`)}`.execute(flows.database.db)).rows.length;

  /** Drops in every place, with the clock 90 days ahead: under the shortest settings, everything here is then too old. */
  const sweep = async (): Promise<Readonly<Record<keyof Keeping, unknown>>> => {
    const { db } = flows.database;
    const clock = (): number => Date.now() + LEAST_MS;
    const parts = { db, inbox: createInbox({ db, clock }), files: createFiles(flows.config), clock };
    const least = { answers: LEAST_MS, records: LEAST_MS, files: LEAST_MS, archive: LEAST_MS };
    const kept = { ...least, events: LEAST_MS, eventKeys: LEAST_MS, accessLog: LEAST_MS };
    await sleep(5);
    const dropped: Record<string, unknown> = {};
    for (const [place, drop] of Object.entries(createKeeping(parts, kept))) dropped[place] = await drop();
    return dropped as Readonly<Record<keyof Keeping, unknown>>;
  };

  it('drops what has ended, harms no waiting flow, and reuses nothing that is gone', async () => {
    const { db } = flows.database;
    // What ended before: an answer, an answer under a key, files, records, an event, an entry of the access log.
    const [read, keyed, filed] = [newCase(), newCase(), newCaseWithDocuments()];
    const buyCover = (cnj: string, more: { readonly maxAge?: string; readonly once?: string } = {}) =>
      startReadCase(flows.deps, { cnj, include: ['cover'], ...more });
    await (await buyCover(read)).result();
    await (await buyCover(keyed, { once: 'report-1' })).result();
    const bought = await flows.refresh({ cnj: filed, documents: true, download: true, webhook: false });
    await until(async () => (await chargesOf(filed)).length > 0);
    await wakeAll([bought.workflowId]);
    const { documents } = await bought.result();
    const names = documents.map(({ stored = '' }) => stored);
    expect(names.length).toBeGreaterThan(0);
    await createInbox({ db, clock: Date.now }).record({
      account: 'default',
      eventId: 'e1',
      event: 'novo',
      keys: [`cnj:${read}`],
      bodySha256: 'x',
      body: Buffer.from('{}'),
    });
    await recordAccess(db, { by: 'ana', via: 'test' });
    // The answer is young enough to be reused until it is dropped.
    expect(await (await buyCover(read, { maxAge: WEEK })).result()).toMatchObject({ spent: { known: '0' } });

    // Flows that wait.
    const [waits, unknown, paid] = [newCase(), newCase(), newCase()];
    const pending = await flows.refresh({ cnj: waits, documents: true }, { workflowId: `pending-${waits}` });
    await until(async () => (await chargesOf(waits)).length === 1, { what: 'the refresh' });
    const sharing = await flows.refresh({ cnj: waits, documents: true }, { workflowId: `sharing-${waits}` });
    // It stays parked until it is decided.
    await flows.loseRefresh(unknown);
    const parked = await flows.refresh({ cnj: unknown });
    expect(await flows.parked(parked.workflowId)).toMatchObject({ attention: 'unknown-charge' });
    // The cover is paid, and the movements would be over the cap.
    const capped = await startReadCase(flows.deps, {
      cnj: paid,
      include: ['cover', 'movements'],
      maxPages: 1,
      maxSpend: '0.13',
    });
    expect(await flows.parked(capped.workflowId)).toMatchObject({ attention: 'budget' });
    const waiting = [pending, sharing, parked, capped];
    await until(async () => (await flows.progress(sharing.workflowId)).waitingFor !== null);

    const dropped = await sweep();
    expect(dropped).toMatchObject({
      answers: expect.any(Number) as number,
      ownFiles: { files: names.length },
      events: { events: 1 },
      accessLog: 1,
    });
    for (const place of ['answers', 'records', 'archive'] as const)
      expect([place, dropped[place]]).not.toEqual([place, 0]);
    expect([await rowsIn('event_bytes'), await rowsIn('access_log'), await rowsIn('legal_case')]).toEqual([0, 0, 0]);
    expect((await createFiles(flows.config).missing(names)).size).toBe(names.length);
    for (const { workflowId } of waiting) {
      expect((await flows.client.workflow.getHandle(workflowId).describe()).status.name).toBe('RUNNING');
    }
    // Drop again while they go on. What one of them buys from now on is young, and the other shares it.
    await sweep();
    const requestId = (await flows.charges()).find(({ subject }) => subject.cnj === unknown)?.requestId ?? undefined;
    await settleCharge(flows.client, parked.workflowId, {
      step: 'requestRefresh',
      decision: 'charged',
      by: 'ana',
      ...present({ requestId }),
    });
    await resumeFlow(flows.client, capped.workflowId, { by: 'ana', maxSpend: '1.00' });
    await sweep();
    await wakeAll([pending, sharing, parked].map(({ workflowId }) => workflowId));

    const ended = await Promise.all([...[pending.result(), sharing.result(), parked.result()], capped.result()]);
    expect(ended).toMatchObject([
      { status: 'done' },
      { status: 'done' },
      { status: 'done' },
      { cnj: paid, cover: expect.any(Object) as object, movements: expect.any(Array) as unknown[] },
    ]);
    expect([...(await chargesOf(waits))].sort()).toEqual(['listPublicDocuments', 'requestRefresh']);
    expect(await chargesOf(unknown)).toEqual(['requestRefresh']);
    expect(await chargesOf(paid)).toEqual(['getCase', 'listMovements']);

    // A dropped answer is bought again for a `maxAge` that would cover it, and never under the key that has paid.
    expect(await (await buyCover(read, { maxAge: WEEK })).result()).not.toMatchObject({ spent: { known: '0' } });
    expect(await chargesOf(read)).toEqual(['getCase', 'getCase']);
    const again = await buyCover(keyed, { once: 'report-1' });
    expect(await flows.parked(again.workflowId)).toMatchObject({ attention: 'charged-lost' });
    await settleCharge(flows.client, again.workflowId, { step: 'getCase', decision: 'abandon', by: 'ana' });
    expect(await failureOf(again)).toMatchObject({ type: 'ChargedLost' });
    expect(await chargesOf(keyed)).toEqual(['getCase']);
    // The ledger and the charge book agree, except for the hashes of dropped answers.
    expect((await auditFlows(flows)).filter((line) => !line.includes('hash of the answer is null'))).toEqual([]);
  }, 300_000);
});
