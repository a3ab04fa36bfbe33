/**
 * What `/metrics` of a worker tells: money, undecided charges by age, parked flows by attention, the brakes of the accounts,
 * and what is on its way (spool, owed wakes). Read from the database and from Temporal's visibility by one worker at most every
 * half minute, for all: the others read what it has found. What is away makes its own figures missing and no others. No
 * personal data.
 */
import type { Client } from '@temporalio/client';
import { AMOUNT_SCALE } from '../contract/index.js';
import { countOwedWakes } from '../inbox/index.js';
import { AGE_BUCKETS, readFigures, type LedgerFigures, type MoneyFigure, type Spool } from '../ledger/index.js';
import { SEARCH_ATTRIBUTES, type Attention } from '../protocol/index.js';
import { shareFinding, type Database } from '../store/index.js';
import { gaugesText, type Figure, type Sample } from './gauges-text.js';

export interface MetricsSources {
  readonly db: Database;
  readonly client: Client;
  /** In one order in every worker. */
  readonly accounts: readonly string[];
  readonly spool: Pick<Spool, 'list'>;
  /** Epoch ms. */
  readonly clock: () => number;
}

/** Of the whole installation. */
const KEPT_MS = 30_000;
/** Of this worker: several scrapes at once are one. */
const TEXT_KEPT_MS = 5_000;
/** Another one when the shape of what is kept changes: workers of two releases run side by side during a deployment. */
const SHAPE = 1;
const TEMPORAL_WITHIN_MS = 5_000;
/** A record, so that the compiler asks for the attention that is new. */
const ATTENTIONS: Readonly<Record<Attention, true>> = {
  'unknown-charge': true,
  'ledger-lost': true,
  'charged-lost': true,
  stalled: true,
  budget: true,
  credentials: true,
  'unexpected-charge': true,
};

/** Returns the reader of the text; it never rejects. */
export function createMetrics(sources: MetricsSources): () => Promise<string> {
  let kept: { readonly text: Promise<string>; readonly untilMs: number } | undefined;
  return () => {
    const nowMs = sources.clock();
    if (kept === undefined || nowMs >= kept.untilMs) kept = { text: readAll(sources), untilMs: nowMs + TEXT_KEPT_MS };
    return kept.text;
  };
}

async function readAll(sources: MetricsSources): Promise<string> {
  const [database, spooled] = await Promise.all([
    orUndefined(readDatabase(sources)),
    orUndefined(sources.spool.list()),
  ]);
  const parked = await orUndefined(database === undefined ? countParked(sources.client) : shareParked(sources));
  const readable = { database, temporal: parked, spool: spooled };
  return gaugesText([
    figure(
      'tramita_worker_reachable',
      'Whether the figures of this source could be read.',
      Object.entries(readable).map(([source, read]) => ({ labels: { source }, value: read === undefined ? 0 : 1 })),
    ),
    figure('tramita_flows_parked', 'Running flows that need a person, by attention.', parked ?? []),
    figure(
      'tramita_spool_answers',
      'Answers on the disk of this worker that the ledger does not have yet.',
      spooled === undefined ? [] : [{ value: spooled.length }],
    ),
    ...(database ?? []),
  ]);
}

async function shareParked({ db, client }: MetricsSources): Promise<readonly Sample[]> {
  const name = `parked ${SHAPE} of ${client.options.namespace}`;
  const { found } = await shareFinding(db, { name, keptMs: KEPT_MS }, () => countParked(client));
  return found;
}

async function readDatabase({ db, accounts, clock }: MetricsSources): Promise<readonly Figure[]> {
  const name = `figures ${SHAPE} of ${accounts.join(',')}`;
  const { found, ageMs } = await shareFinding(db, { name, keptMs: KEPT_MS }, async () => {
    const nowMs = clock();
    return { figures: await readFigures(db, { accounts, nowMs }), owed: await countOwedWakes(db, nowMs) };
  });
  const { figures, owed } = found;
  return [
    ...ledgerGauges(figures),
    single('tramita_figures_age_seconds', 'How old the figures of the database are.', seconds(ageMs)),
    single('tramita_wakes_owed', 'Signals that are not delivered yet.', owed.count),
    single('tramita_wakes_owed_oldest_seconds', 'How long the oldest of them has waited.', seconds(owed.oldestMs)),
  ];
}

/** Pure. */
function ledgerGauges(figures: LedgerFigures): readonly Figure[] {
  const { chargedToday, reserved, undecided, holds } = figures;
  return [
    figure(
      'tramita_charged_today',
      'Charged today (São Paulo), in the currency of the account.',
      chargedToday.map(money),
    ),
    figure('tramita_reserved', 'Held for calls whose charge nobody knows yet.', reserved.map(money)),
    figure('tramita_charges_undecided', 'Charges that are unknown or whose answer is lost, by age.', [
      ...(['unknown', 'charged_lost'] as const).flatMap((state) =>
        AGE_BUCKETS.map((age) => ({
          labels: { state, age },
          value: undecided.find((row) => row.state === state && row.age === age)?.count ?? 0,
        })),
      ),
    ]),
    single('tramita_calls_open', 'Charged calls on their way.', figures.open),
    single('tramita_calls_open_oldest_seconds', 'Age of the oldest of them.', seconds(figures.oldestOpenMs)),
    single('tramita_calls_pending', 'Work that the service has accepted and not finished.', figures.pending),
    single(
      'tramita_ledger_held',
      'Whether charged calls wait because the ledger may have forgotten some.',
      figures.isLedgerHeld ? 1 : 0,
    ),
    single(
      'tramita_ledger_journals_unheard',
      'Journals of workers that were not heard in this life of the database.',
      figures.journalsUnheard,
    ),
    single('tramita_settlement_conflicts', 'Late answers that contradict a decision, ever.', figures.conflicts),
    single(
      'tramita_unexpected_charges',
      'Reads that should be free and were charged, in the last 30 days.',
      figures.unexpected,
    ),
    figure(
      'tramita_account_held',
      'Whether calls of the account wait unsent, and why.',
      holds.flatMap(({ account, outage, throttled, freeThrottled }) => [
        { labels: { account, because: 'outage' }, value: outage ? 1 : 0 },
        { labels: { account, because: 'throttled' }, value: throttled ? 1 : 0 },
        { labels: { account, because: 'polls-throttled' }, value: freeThrottled ? 1 : 0 },
      ]),
    ),
    figure(
      'tramita_account_failures',
      'Charged calls in a row that ended in 5xx or without an answer.',
      holds.map(({ account, failures }) => ({ labels: { account }, value: failures })),
    ),
  ];
}

/** One count per attention: not every server groups by our attribute. */
async function countParked(client: Client): Promise<readonly Sample[]> {
  const names = Object.keys(ATTENTIONS) as Attention[];
  return client.withDeadline(Date.now() + TEMPORAL_WITHIN_MS, () =>
    Promise.all(
      names.map(async (attention) => {
        const query = `${SEARCH_ATTRIBUTES.attention} = "${attention}" AND ExecutionStatus = "Running"`;
        return { labels: { attention }, value: (await client.workflow.count(query)).count };
      }),
    ),
  );
}

/** What no answer told stands in a series of its own: the others are named as before. */
function money({ account, operation, source = 'told', amount }: MoneyFigure): Sample {
  return { labels: { account, operation, ...(source === 'told' ? {} : { source }) }, value: amount / AMOUNT_SCALE };
}

function figure(name: string, help: string, samples: readonly Sample[]): Figure {
  return { name, help, samples };
}

function single(name: string, help: string, value: number): Figure {
  return figure(name, help, [{ value }]);
}

function seconds(ms: number): number {
  return Math.round(ms / 1_000);
}

function orUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  return promise.catch(() => undefined);
}
