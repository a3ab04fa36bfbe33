/**
 * What `/metrics` of a worker shows: money, undecided charges by age, parked flows by attention, the brakes of the accounts,
 * and what is on its way (spool, owed wakes). Read from the database and from Temporal's visibility by one worker at most every
 * half minute, for all: the others read its result. If a source is away, only its own figures are missing. No personal data.
 */
import type { Client } from '@temporalio/client';
import type { Config } from '../config/index.js';
import { countOwedWakes, type Inbox } from '../inbox/index.js';
import { readFigures, type Journal, type Spool } from '../ledger/index.js';
import { SEARCH_ATTRIBUTES, type Attention } from '../protocol/index.js';
import { shareFinding, type Database } from '../store/index.js';
import { amounts, figure, gaugesText, seconds, single, type Figure, type Sample } from './gauges-text.js';
import { ledgerGauges } from './ledger-gauges.js';

export interface MetricsSources {
  readonly db: Database;
  readonly client: Client;
  readonly accounts: Config['accounts'];
  readonly inbox: Pick<Inbox, 'areWebhooksSilent'>;
  readonly spool: Pick<Spool, 'list'>;
  readonly journal: Pick<Journal, 'bytes'>;
  /** Asks the server now: shared figures may have been read by another worker, minutes ago. */
  readonly reachesTemporal: () => Promise<boolean>;
  readonly clock: { nowMs(): number; monotonicMs(): number };
}

/** How long figures of the whole installation are kept. */
const KEPT_MS = 30_000;
/** How long this worker keeps its text, so that several scrapes at once read once. */
const TEXT_KEPT_MS = 5_000;
/** Increase it when the shape of the shared figures changes: workers of two releases run side by side during a deployment. */
const SHAPE = 2;
const TEMPORAL_WITHIN_MS = 5_000;
/** A record, so that the compiler reports an attention that is missing. */
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
  let last: { readonly text: Promise<string>; readonly untilMs: number } | undefined;
  return () => {
    // Not by the wall clock: set back by an hour, it would keep one page for an hour.
    const nowMs = sources.clock.monotonicMs();
    if (last === undefined || nowMs >= last.untilMs) last = { text: readAll(sources), untilMs: nowMs + TEXT_KEPT_MS };
    return last.text;
  };
}

async function readAll(sources: MetricsSources): Promise<string> {
  const [reached, database, spooled, journalBytes] = await Promise.all([
    sources.reachesTemporal(),
    orUndefined(readDatabase(sources)),
    orUndefined(sources.spool.list()),
    orUndefined(sources.journal.bytes()),
  ]);
  const parked = await orUndefined(database === undefined ? countParked(sources.client) : shareParked(sources));
  const readable = { database, temporal: reached ? parked : undefined, spool: spooled };
  return gaugesText([
    figure(
      'tramita_worker_reachable',
      'Whether this worker reaches the source and its figures could be read.',
      Object.entries(readable).map(([source, read]) => ({ labels: { source }, value: read === undefined ? 0 : 1 })),
    ),
    figure(
      'tramita_flows_parked',
      'Running flows with an attention; unexpected-charge only informs, all others need a person.',
      parked ?? [],
    ),
    figure(
      'tramita_spool_answers',
      'Answers on the disk of this worker that the ledger does not have yet.',
      spooled === undefined ? [] : [{ value: spooled.length }],
    ),
    figure(
      'tramita_journal_bytes',
      'What the journal of this worker has on its disk.',
      journalBytes === undefined ? [] : [{ value: journalBytes }],
    ),
    ...limitGauges(sources.accounts),
    ...(database ?? []),
  ]);
}

async function shareParked({ db, client }: MetricsSources): Promise<readonly Sample[]> {
  const name = `parked ${SHAPE} of ${client.options.namespace}`;
  const { found } = await shareFinding(db, { name, keptMs: KEPT_MS }, () => countParked(client));
  return found;
}

async function readDatabase({ db, accounts, inbox, clock }: MetricsSources): Promise<readonly Figure[]> {
  const names = Object.keys(accounts).sort();
  const announced = names.filter((name) => accounts[name]?.webhooks === true);
  // Workers with different settings do not read each other's figures.
  const name = `figures ${SHAPE} of ${names.join(',')}, webhooks of ${announced.join(',')}`;
  const { found, ageMs } = await shareFinding(db, { name, keptMs: KEPT_MS }, async () => {
    const nowMs = clock.nowMs();
    return {
      figures: await readFigures(db, { accounts: names, nowMs }),
      owed: await countOwedWakes(db, nowMs),
      silent: await Promise.all(announced.map((account) => inbox.areWebhooksSilent(account))),
    };
  });
  const { figures, owed, silent } = found;
  return [
    ...ledgerGauges(figures),
    figure(
      'tramita_webhooks_silent',
      'Whether the last webhooks that the account expected did not arrive.',
      announced.map((account, place) => ({ labels: { account }, value: silent[place] === true ? 1 : 0 })),
    ),
    single('tramita_figures_age_seconds', 'How old the figures of the database are.', seconds(ageMs)),
    single('tramita_wakes_owed', 'Signals that are not delivered yet.', owed.count),
    single('tramita_wakes_owed_oldest_seconds', 'How long the oldest of them has waited.', seconds(owed.oldestMs)),
  ];
}

/** Limits that are not set are left out. Pure. */
function limitGauges(accounts: Config['accounts']): readonly Figure[] {
  const limits = Object.entries(accounts);
  return [
    figure(
      'tramita_cap_per_day',
      'maxSpendPerDay of the account, as this worker knows it.',
      amounts(limits.map(([account, { maxSpendPerDay }]) => ({ account, amount: maxSpendPerDay }))),
    ),
    figure(
      'tramita_min_balance',
      'minBalance of the account, as this worker knows it.',
      amounts(limits.map(([account, { minBalance }]) => ({ account, amount: minBalance }))),
    ),
  ];
}

/** One count per attention, because not every server can group by our attribute. */
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

function orUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  return promise.catch(() => undefined);
}
