/** Builders for the store tests: a ledger with a clock that is set by hand, requests, and a counter of round trips. */
import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { Client } from 'pg';
import { DEFAULT_GAPS, OPERATIONS, withExtraOperations, type Amount } from '../../src/contract/index.js';
import { createInbox, type IncomingEvent, type Wake } from '../../src/inbox/index.js';
import {
  createLedger,
  createLifeMemory,
  type Intent,
  type IntentVerdict,
  type Ledger,
  type LedgerSettings,
  type LifeMemory,
  type LostAttempt,
  type OpenIntent,
} from '../../src/ledger/index.js';
import type { Database } from '../../src/store/index.js';
import { token } from '../support/plant-subject.js';

export const REQUEST_ID = '7f1f9c52-5f0b-4c0e-9b7e-0123456789ab';
/** A Tuesday noon in São Paulo. */
export const NOON_MS = Date.parse('2026-03-10T15:00:00Z');
export const MINUTE_MS = 60_000;

export const amount = (units: number): Amount => units as Amount;

/** The documents of a case, by their ids. */
export function documentsOf(db: Database, cnj: string) {
  return db
    .selectFrom('tramita.public_document')
    .select(['document_id as id', 'title', 'data', 'sha256', 'bytes', 'stored', 'listed_at as listedAtMs'])
    .where('account', '=', 'default')
    .where('cnj', '=', cnj)
    .orderBy('document_id')
    .execute();
}

export function setClock(nowMs = NOON_MS): { now: () => number; nowMs: number } {
  const clock = { nowMs, now: (): number => clock.nowMs };
  return clock;
}

export function makeLedger(
  db: Database,
  {
    clock = setClock(),
    settings = {},
    memory = createLifeMemory(),
  }: {
    readonly clock?: { now: () => number; nowMs: number };
    readonly settings?: Partial<LedgerSettings>;
    readonly memory?: LifeMemory;
  } = {},
) {
  const ledger = createLedger({
    db,
    token,
    clock: clock.now,
    memory,
    catalogue: withExtraOperations(OPERATIONS, []),
    gaps: DEFAULT_GAPS,
    settings: { accounts: {}, ...settings, prices: { default: amount(5_000), ...settings.prices } },
  });
  return { ledger, inbox: createInbox({ db, clock: clock.now }), clock };
}

/** A refresh of a case that no other test uses, asked for by a run that no other test uses. */
export function refreshRequest(changes: Partial<OpenIntent> = {}): OpenIntent {
  const cnj = String(changes.params?.['cnj'] ?? randomCase());
  return {
    workflowId: `refresh/default/${randomUUID()}`,
    firstRunId: randomUUID(),
    workflowType: 'refreshCase',
    step: 'refresh',
    ordinal: 1,
    account: 'default',
    operation: 'requestRefresh',
    params: { cnj },
    flags: [],
    webhookExpected: true,
    attemptToken: randomUUID(),
    attempt: 1,
    waiterKeys: [`cnj:${cnj}`],
    ...changes,
  };
}

/** A ledger with one open call, which it lets a flow send. */
export async function openCall(db: Database, changes: Partial<OpenIntent> = {}) {
  const parts = makeLedger(db);
  const request = refreshRequest(changes);
  const { intentId } = intentOf(await parts.ledger.openIntent(request));
  return { ...parts, request, intentId };
}

/** The same call, asked for by another run. */
export function elsewhere(request: OpenIntent, changes: Partial<OpenIntent> = {}): OpenIntent {
  const fresh = refreshRequest({ params: request.params });
  return {
    ...request,
    workflowId: fresh.workflowId,
    firstRunId: fresh.firstRunId,
    attemptToken: fresh.attemptToken,
    ...changes,
  };
}

/** The flows that these wakes are for. */
export function flowsOf(wakes: readonly Wake[]): readonly string[] {
  return wakes.map(({ workflowId }) => workflowId);
}

export function intentOf(verdict: IntentVerdict): Intent {
  const { intent } = verdict as { readonly intent?: Intent };
  if (intent === undefined) throw new Error(`no intent in "${verdict.kind}"`);
  return intent;
}

export function jsonBody(value: unknown): { bytes: Buffer; contentType: string } {
  return { bytes: Buffer.from(JSON.stringify(value)), contentType: 'application/json' };
}

export function incomingEvent(changes: Partial<IncomingEvent> = {}): IncomingEvent {
  const body = changes.body ?? Buffer.from(JSON.stringify({ id: randomUUID() }));
  return {
    account: 'default',
    eventId: randomUUID(),
    event: 'atualizacao_concluida',
    bodySha256: createHash('sha256').update(body).digest('hex'),
    body,
    keys: [],
    ...changes,
  };
}

/** Closes the step of a lost attempt of this life of the database, unless `changes` say otherwise. */
export async function closeStep(
  ledger: Pick<Ledger, 'closeStep'>,
  request: OpenIntent,
  changes: Partial<LostAttempt> & { readonly deadlineMs: number },
): Promise<Intent> {
  const closed = await ledger.closeStep({
    ...request,
    once: request.once ?? null,
    askedAtMs: Date.UTC(2100),
    isOverdue: false,
    ...changes,
  });
  if (closed.kind !== 'row') throw new Error('the ledger is held');
  return closed.intent;
}

/** What a run has cost: the sum of the reported charges, and the number of unreported ones. */
export async function spentOf(db: Database, run: { readonly workflowId: string; readonly firstRunId: string }) {
  const { rows } = await sql`
    select coalesce(sum(charged), 0)::bigint as known,
      count(*) filter (where charged is null and reserved > 0)::integer as unknown
    from tramita.intent where workflow_id = ${run.workflowId} and first_run_id = ${run.firstRunId}`.execute(db);
  return rows[0] as { readonly known: number; readonly unknown: number };
}

/** Late answers that contradicted a decided row, newest first. */
export function listConflicts(db: Database) {
  return db.selectFrom('tramita.settlement_conflict').selectAll().orderBy('seq', 'desc').execute();
}

/** The last balance that an answer reported. */
export async function lastBalance(db: Database, account: string) {
  const { rows } = await sql<{ readonly balance: number }>`
    select balance_after as balance from tramita.intent
    where account = ${account} and balance_after is not null and balance_at is not null order by balance_at desc limit 1`.execute(
    db,
  );
  return rows[0]?.balance;
}

/** The messages that are sent while `action` runs. Each is one round trip of one or more statements. */
export async function countRoundTrips(action: () => Promise<unknown>): Promise<readonly string[]> {
  const sent: string[] = [];
  const spy = jest.spyOn(Client.prototype, 'query');
  try {
    await action();
    for (const [query] of spy.mock.calls as unknown as [string | { readonly text: string }][])
      sent.push((typeof query === 'string' ? query : query.text).trim());
  } finally {
    spy.mockRestore();
  }
  return sent;
}

export function randomCase(): string {
  const digits = BigInt(`0x${randomUUID().replaceAll('-', '')}`).toString();
  return digits.padStart(20, '0').slice(-20);
}
