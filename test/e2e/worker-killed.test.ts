/**
 * One worker process is killed with SIGKILL at the worst moments of eight flows at once, and started again. Temporal needs a
 * minute to give up on a lost call. That minute passes once for all flows, and the tests below follow it in order of time.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cnjKey } from '../../src/inbox/index.js';
import type { RefreshCaseInput, RefreshCaseResult } from '../../src/protocol/index.js';
import { settleCharge, type FlowHandle } from '../../src/starters/index.js';
import { lockNumber } from '../../src/store/index.js';
import { withFlows } from '../flows/with-flows.js';
import { auditCharges, type Books } from '../../src/testing/index.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { hold } from './hold.js';
import {
  chargesOf,
  historyOf,
  pollsOf,
  rowsOf,
  spoolHas,
  untilCharged,
  untilRow,
  untilSpooled,
  untilWaitingFor,
} from './looks.js';
import { WEBHOOK_SECRET, withPrograms } from './processes.js';

/** Work of the service finishes only when the test advances the service's clock. */
const HOUR_MS = 3_600_000;
/** Start-to-close timeout of a charged call, the resolver's margin, and room for a busy machine. */
const PARKED_WITHIN_MS = 110_000;
const STEP = 'requestRefresh';

interface Case {
  readonly cnj: string;
  readonly handle: FlowHandle<RefreshCaseResult>;
}

describe('a worker that replaces one killed with SIGKILL', () => {
  const folder = temporaryFolder('killed');
  const configFile = join(folder, 'config.json');
  // Five charged calls are held at the same time, which the default of four would not allow.
  writeFileSync(configFile, JSON.stringify({ accounts: { default: { concurrency: 10 } } }));
  const programs = withPrograms(() => flows);
  const flows = withFlows({
    worker: false,
    sandbox: { refreshMs: HOUR_MS, pollAfterMs: 200 },
    env: { TRAMITA_CONFIG: configFile, TRAMITA_WEBHOOKS: 'on' },
  });

  const start = async (more: Partial<RefreshCaseInput> = {}): Promise<Case> => {
    const cnj = newCase();
    return { cnj, handle: await flows.refresh({ cnj, webhook: false, ...more }) };
  };
  const finishWork = () => flows.control('/clock', { advanceMs: HOUR_MS });
  const decide = ({ handle }: Case, decision: 'not-charged' | 'charged' | 'abandon', requestId?: string) =>
    settleCharge(flows.client, handle.workflowId, {
      step: STEP,
      decision,
      by: 'ana',
      ...(requestId === undefined ? {} : { requestId }),
    });

  let waiting: Case;
  let polling: Case;
  let brief: Case;
  let spooled: Case & { readonly intentId: string };
  let unwritten: Case;
  let lost: readonly [Case, Case, Case];

  beforeAll(async () => {
    const worker = await programs.startWorker();
    const bridge = await programs.startBridge();
    await flows.control('/webhook', { url: bridge.webhookUrl, secret: WEBHOOK_SECRET });

    waiting = await start({ webhook: true });
    polling = await start();
    await untilWaitingFor(flows, waiting.handle.workflowId, 'the webhook');
    const [polled] = await untilCharged(flows, polling.cnj);
    await until(async () => (await pollsOf(flows, polled?.requestId)) > 0, { what: 'a poll' });

    // The answer is on disk, and the ledger cannot take it. It comes late, so that its row is locked before it, even when the
    // machine stalls.
    await flows.fault({ operation: STEP, fault: 'F7', ms: 6_000 });
    const answering = await start();
    const { intentId } = await untilRow(flows, answering.handle.workflowId, 'open');
    const row = await hold(flows.database.url, 'select from tramita.intent where intent_id = $1 for update', [
      intentId,
    ]);
    await untilSpooled(flows, intentId);
    spooled = { ...answering, intentId };

    // The answer drips for longer than any timeout: the call is charged, and its answer never read.
    await flows.fault({ operation: STEP, fault: 'F8', everyMs: 1_000, bytes: 1, times: 3 });
    lost = await Promise.all([start(), start(), start()]);
    await Promise.all(lost.map(({ cnj }) => untilCharged(flows, cnj)));

    // The transaction of the intent waits for its first lock.
    const next = newCase();
    const lock = await hold(flows.database.url, 'select pg_advisory_xact_lock($1)', [String(lockNumber(cnjKey(next)))]);
    unwritten = { cnj: next, handle: await flows.refresh({ cnj: next, webhook: false }) };
    await lock.untilAwaited();

    // The activity of the call waits a second or more for the work to finish.
    brief = await start();
    await untilRow(flows, brief.handle.workflowId, 'pending');

    await worker.kill();
    await Promise.all([row.release(), lock.release()]);
    await programs.startWorker();
  }, 300_000);

  it('finds one charge per call that was sent, and none for the call whose intent was not committed', async () => {
    for (const { cnj } of [waiting, polling, brief, spooled, ...lost])
      expect(await chargesOf(flows, cnj)).toHaveLength(1);
    expect(await chargesOf(flows, unwritten.cnj)).toEqual([]);
    expect(await rowsOf(flows, unwritten.handle.workflowId)).toEqual([]);
  });

  it('ends the flows that waited, by their webhook and by polling', async () => {
    await finishWork();
    expect(await waiting.handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    expect(await polling.handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    expect((await historyOf(flows, waiting.handle.workflowId)).signals).toHaveLength(1);
    expect((await historyOf(flows, polling.handle.workflowId)).signals).toEqual([]);
    for (const { cnj } of [waiting, polling]) expect(await chargesOf(flows, cnj)).toHaveLength(1);
  });

  it('ends a flow whose call waited for its work: the flow reads the ledger after the timeout, and polls', async () => {
    expect(await brief.handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    const { activities, updates } = await historyOf(flows, brief.handle.workflowId);
    expect([activities, updates]).toEqual([[STEP, 'resolveUnknown', 'awaitFinal'], 0]);
    expect(await rowsOf(flows, brief.handle.workflowId)).toMatchObject([{ ordinal: 1, state: 'done' }]);
    expect(await chargesOf(flows, brief.cnj)).toHaveLength(1);
  });

  it('settles an answer from the spool of the killed worker, and the flow ends without a person', async () => {
    await until(async () => (await rowsOf(flows, spooled.handle.workflowId))[0]?.state !== 'open', {
      what: 'the spooled answer in the ledger',
    });
    // The answer leaves the spool once the ledger has it, not in the same instant.
    await until(async () => !(await spoolHas(flows, spooled.intentId)), { what: 'the spool to be empty of it' });
    const result = await spooled.handle.result();
    expect(result).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    expect((await historyOf(flows, spooled.handle.workflowId)).updates).toBe(0);
    expect(await chargesOf(flows, spooled.cnj)).toHaveLength(1);
  });

  it('sends the call whose intent was not committed', async () => {
    await until(async () => (await chargesOf(flows, unwritten.cnj)).length > 0, {
      withinMs: PARKED_WITHIN_MS,
      what: 'the call to be made',
    });
    await finishWork();
    expect(await unwritten.handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    expect(await rowsOf(flows, unwritten.handle.workflowId)).toMatchObject([
      { ordinal: 1, state: 'closed' },
      { ordinal: 2, state: 'done' },
    ]);
    expect((await historyOf(flows, unwritten.handle.workflowId)).updates).toBe(0);
    expect(await chargesOf(flows, unwritten.cnj)).toHaveLength(1);
  });

  it('parks a flow that was charged and got no answer, not before the call must be over, and sends nothing', async () => {
    for (const { cnj, handle } of lost) {
      const progress = await flows.parked(handle.workflowId, PARKED_WITHIN_MS);
      // In its first minute the parked flow asks for no person, because evidence may be found.
      const isYoung = Date.now() - Date.parse(progress.since) < 60_000;
      expect(isYoung ? [null] : [null, 'unknown-charge']).toContain(progress.attention);
      expect(progress.spent).toEqual({ known: '0', unknown: 1 });
      expect(progress.waitingFor).toContain('a decision about the charge of POST refresh');
      const [row] = await rowsOf(flows, handle.workflowId);
      expect(row?.state).toBe('unknown');
      expect(Date.parse(progress.since) - (row?.openedAtMs ?? 0)).toBeGreaterThanOrEqual(60_000);
      expect(await chargesOf(flows, cnj)).toHaveLength(1);
    }
    await programs.audit();
  });

  it('sends again after the decision "not-charged", and the ledger says why the service charged twice', async () => {
    const [resent] = lost;
    await decide(resent, 'not-charged');
    await untilCharged(flows, resent.cnj, 2);
    await finishWork();
    expect(await resent.handle.result()).toMatchObject({ status: 'done' });
    expect(await chargesOf(flows, resent.cnj)).toHaveLength(2);
    const { ledger } = await programs.books();
    const rows = ledger.filter(({ workflowId }) => workflowId === resent.handle.workflowId);
    expect(rows).toMatchObject([
      { state: 'done', charged: '0.1' },
      { state: 'closed', charged: null, evidence: { decision: 'not-charged', by: 'ana' } },
    ]);
  });

  it('polls to the end after the decision "charged" with the request id, and pays nothing more', async () => {
    const [, known] = lost;
    const [charge] = await chargesOf(flows, known.cnj);
    await decide(known, 'charged', charge?.requestId ?? '');
    expect(await known.handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    expect(await chargesOf(flows, known.cnj)).toHaveLength(1);
  });

  it('ends a flow as UnknownCharge after the decision "abandon", and the charge stays in the books', async () => {
    const [, , abandoned] = lost;
    await decide(abandoned, 'abandon');
    expect(await failureOf(abandoned.handle)).toMatchObject({
      type: 'UnknownCharge',
      details: { spent: { known: '0', unknown: 1 } },
    });
    expect(await chargesOf(flows, abandoned.cnj)).toHaveLength(1);
  });

  describe('the auditor', () => {
    let books: Books;
    beforeAll(async () => {
      books = await programs.books();
    });
    /** Changes the first row that is done, or the one that a person decided. */
    const change = (which: 'done' | 'not-charged', members: object): Books => {
      const at = books.ledger.findIndex(({ state, evidence }) => state === which || evidence?.['decision'] === which);
      expect(at).toBeGreaterThanOrEqual(0);
      return { ...books, ledger: books.ledger.map((row, index) => (index === at ? { ...row, ...members } : row)) };
    };

    it('finds that ledger and charge book agree', () => {
      expect(auditCharges(books)).toEqual([]);
      expect(books.book.length).toBe(9);
    });

    it.each([
      ['a wrong amount', () => change('done', { charged: '0.2' })],
      ['a wrong request id', () => change('done', { requestId: '00000000-0000-4000-8000-000000000000' })],
      ['a wrong hash of the answer', () => change('done', { bodySha256: 'f'.repeat(64) })],
      ['a denied charge', () => change('done', { state: 'not_sent' })],
      ['a missing decision', () => change('not-charged', { evidence: null })],
      ['missing rows', () => ({ ...books, ledger: books.ledger.filter(({ state }) => state !== 'done') })],
      ['a row left open', () => change('done', { state: 'open' })],
      ['a missing charge', () => ({ ...books, book: books.book.slice(1) })],
      ['a second charge', () => ({ ...books, book: [...books.book, { ...books.book[0]!, n: 99, searchLogId: 'x' }] })],
    ])('detects %s', (_what, doctored) => {
      expect(auditCharges(doctored())).not.toEqual([]);
    });
  });
});
