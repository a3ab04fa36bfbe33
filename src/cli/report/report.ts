/** The charts of a report, from sums of the ledger and the inbox, each with an exact table. Pure. */
import { addAmounts, formatAmount, ZERO_AMOUNT, type Amount } from '../../contract/index.js';
import type { MissedEvents } from '../../inbox/index.js';
import { AGE_BUCKETS, type LedgerReport, type SavedBy } from '../../ledger/index.js';

export interface AccountFigures extends LedgerReport {
  readonly account: string;
  /** Null if the inbox no longer has the data of that time. */
  readonly webhooks: Pick<MissedEvents, 'expected' | 'missed' | 'late'> | null;
}

/** `known` is certain, `held` is not known yet, `bad` should not be, `plain` is neither. */
export type Tone = 'known' | 'held' | 'bad' | 'plain';

interface Part {
  readonly tone: Tone;
  readonly label: string;
  /** Amounts in 1/10,000, else a count. */
  readonly value: number;
}

export interface Bar {
  readonly label: string;
  readonly parts: readonly Part[];
}

export interface Chart {
  readonly title: string;
  /** What it means, and what to do about it. */
  readonly text: string;
  readonly kind: 'columns' | 'bars';
  readonly unit: 'amount' | 'count';
  readonly bars: readonly Bar[];
  readonly head: readonly string[];
  /** Every figure of the chart, exact. With `isSum` the last row is the sum. */
  readonly rows: readonly (readonly string[])[];
  readonly isSum: boolean;
}

interface Spent {
  readonly charged: Amount;
  readonly chargedCalls: number;
  readonly held: Amount;
  readonly heldCalls: number;
}

const NOTHING: Spent = { charged: ZERO_AMOUNT, chargedCalls: 0, held: ZERO_AMOUNT, heldCalls: 0 };
const SAVED_BY: Readonly<Record<SavedBy, string>> = {
  'under way': 'an equal call was in progress',
  once: 'bought before under its once key',
  kept: 'a recent answer was reused',
};

const WAIT_TONES: Readonly<Record<string, Tone>> = { done: 'known', charged_lost: 'bad', unknown: 'bad' };
const SAVED_ORDER: readonly SavedBy[] = ['under way', 'kept', 'once'];

/** `days`: every day of the report, including days without a call. */
export function buildCharts(figures: AccountFigures, days: readonly string[]): readonly Chart[] {
  const { spend, saved, undecided, waits, webhooks } = figures;
  return [
    ...spentCharts(spend, days),
    savedChart(saved),
    undecidedChart(undecided),
    waitsChart(waits),
    webhookChart(webhooks),
  ];
}

/** More days than this are shown by month. */
const DAYS_AT_MOST = 62;

function spentCharts(spend: AccountFigures['spend'], days: readonly string[]): readonly Chart[] {
  const format = alignedFormat(spend.flatMap(({ charged, held }) => [charged, held]));
  const isLong = days.length > DAYS_AT_MOST;
  const dateOf = (day: string): string => (isLong ? day.slice(0, 7) : day);
  const byDate = sumBy(spend, ({ day }) => dateOf(day));
  const dates = [...new Set(days.map(dateOf))];
  const bySize = (sums: ReadonlyMap<string, Spent>): readonly (readonly [string, Spent])[] =>
    [...sums].sort(([, left], [, right]) => right.charged + right.held - left.charged - left.held);
  return [
    spentChart({
      title: isLong ? 'Spend by month' : 'Spend by day',
      kind: 'columns',
      what: isLong ? 'Month' : 'Day',
      text: 'Civil days of São Paulo on which the calls were opened.',
      format,
      sums: dates.map((date) => [date, byDate.get(date) ?? NOTHING]),
    }),
    spentChart({
      title: 'Spend by operation',
      kind: 'bars',
      what: 'Operation',
      text: 'Operations of the service.',
      format,
      sums: bySize(sumBy(spend, ({ operation }) => operation)),
    }),
    spentChart({
      title: 'Spend by flow',
      kind: 'bars',
      what: 'Flow',
      text: 'Kinds of flows, by their workflow type.',
      format,
      sums: bySize(sumBy(spend, ({ workflowType }) => workflowType)),
    }),
  ];
}

function savedChart(given: AccountFigures['saved']): Chart {
  const saved = SAVED_ORDER.flatMap((by) => given.filter((row) => row.by === by));
  const format = alignedFormat(saved.map((row) => row.saved));
  return barChart({
    title: 'What was not paid twice',
    unit: 'amount',
    what: 'saved',
    text: 'Calls that took the answer of an equal call, at what that one cost; if its charge is unknown, nothing is counted as saved. Recent is an answer within maxAge, or one that was bought after the flow was started.',
    head: ['Why', 'Calls', 'Saved', 'Calls with an unknown charge'],
    entries: saved.map(({ by, calls, saved: value, unknownCalls }) => ({
      label: SAVED_BY[by],
      tone: 'plain',
      value,
      row: [SAVED_BY[by], String(calls), format(value), String(unknownCalls)],
    })),
  });
}

function undecidedChart(given: AccountFigures['undecided']): Chart {
  const undecided = AGE_BUCKETS.flatMap((age) => given.filter((row) => row.age === age));
  const format = alignedFormat(undecided.map(({ reserved }) => reserved));
  return barChart({
    title: 'Undecided charges, by age',
    unit: 'count',
    what: 'charges',
    text: 'As of now, from any time. They count against the caps at the amount that is held for them, and wait for evidence or a person: tramita list --attention.',
    head: ['Age', 'State', 'Charges', 'Held'],
    entries: undecided.map(({ state, age, count, reserved }) => ({
      label: `${age}, ${words(state)}`,
      tone: age === 'under 1 h' || age === '1 h to 1 day' ? 'held' : 'bad',
      value: count,
      row: [age, words(state), String(count), format(reserved)],
    })),
  });
}

function waitsChart(given: AccountFigures['waits']): Chart {
  const waits = [...given].sort((left, right) => right.count - left.count || (left.state < right.state ? -1 : 1));
  return barChart({
    title: 'How waits ended',
    unit: 'count',
    what: 'calls',
    text: 'Work that the service accepted (202) in this period, by its state now.',
    head: ['State', 'Decided by a person', 'Calls'],
    entries: waits.map(({ state, decided, count }) => ({
      label: `${words(state)}${decided ? ', by a person' : ''}`,
      tone: WAIT_TONES[state] ?? 'plain',
      value: count,
      row: [words(state), decided ? 'yes' : 'no', String(count)],
    })),
  });
}

function webhookChart(webhooks: AccountFigures['webhooks']): Chart {
  const { expected, missed, late } = webhooks ?? { expected: 0, missed: 0, late: 0 };
  const seen = (
    [
      ['arrived in time', 'known', expected - missed],
      ['arrived after polling had ended the wait', 'held', late],
      ['never arrived', 'bad', missed - late],
    ] as const
  ).filter(([, , count]) => count > 0);
  return barChart({
    title: 'Webhooks that were expected',
    unit: 'count',
    what: 'waits',
    text:
      webhooks === null
        ? 'Not known: how a wait ended is kept for 30 days, and this period is older.'
        : 'Waits that ended in this period (of the last 30 days) and expected a webhook. If many never arrived: tramita events missed.',
    head: ['Webhook', 'Waits'],
    entries: seen.map(([label, tone, value]) => ({ label, tone, value, row: [label, String(value)] })),
  });
}

interface Entry {
  readonly label: string;
  readonly tone: Tone;
  readonly value: number;
  readonly row: readonly string[];
}

/** One bar and one row of the table for each entry; `what` is counted. */
function barChart({
  what,
  entries,
  ...chart
}: Pick<Chart, 'title' | 'text' | 'unit' | 'head'> & {
  readonly what: string;
  readonly entries: readonly Entry[];
}): Chart {
  return {
    ...chart,
    kind: 'bars',
    isSum: false,
    bars: entries.map(({ label, tone, value }) => ({ label, parts: [{ tone, label: what, value }] })),
    rows: entries.map(({ row }) => row),
  };
}

function spentChart({
  sums,
  what,
  format,
  ...chart
}: Pick<Chart, 'title' | 'text' | 'kind'> & {
  readonly sums: readonly (readonly [string, Spent])[];
  readonly what: string;
  readonly format: (amount: Amount) => string;
}): Chart {
  const row = (label: string, { charged, chargedCalls, held, heldCalls }: Spent): readonly string[] => [
    ...[label, format(charged), String(chargedCalls), format(held), String(heldCalls)],
  ];
  const total = sums.reduce((sum, [, each]) => add(sum, each), NOTHING);
  const isSum = sums.some(([, { charged, held }]) => charged !== 0 || held !== 0);
  return {
    ...chart,
    unit: 'amount',
    isSum,
    bars: isSum
      ? sums.map(([label, { charged, held }]) => ({
          label,
          parts: [
            { tone: 'known', label: 'charged', value: charged },
            { tone: 'held', label: 'held, charge not known', value: held },
          ],
        }))
      : [],
    head: [what, 'Charged', 'Calls', 'Held, charge not known', 'Calls not known'],
    rows: isSum ? [...sums.map(([label, each]) => row(label, each)), row('Sum', total)] : [],
  };
}

/** Formats these amounts exactly and with equally many decimal places, at least two, so that they align. */
function alignedFormat(amounts: readonly Amount[]): (amount: Amount) => string {
  const fractionOf = (amount: Amount): string => formatAmount(amount).split('.')[1] ?? '';
  const places = Math.max(2, ...new Set(amounts.map((amount) => fractionOf(amount).length)));
  return (amount) => `${formatAmount(amount).split('.')[0] ?? ''}.${fractionOf(amount).padEnd(places, '0')}`;
}

function sumBy<T extends Spent>(rows: readonly T[], keyOf: (row: T) => string): ReadonlyMap<string, Spent> {
  const sums = new Map<string, Spent>();
  for (const row of rows) sums.set(keyOf(row), add(sums.get(keyOf(row)) ?? NOTHING, row));
  return sums;
}

function add(left: Spent, right: Spent): Spent {
  return {
    charged: addAmounts(left.charged, right.charged),
    chargedCalls: left.chargedCalls + right.chargedCalls,
    held: addAmounts(left.held, right.held),
    heldCalls: left.heldCalls + right.heldCalls,
  };
}

function words(state: string): string {
  return state.replaceAll('_', ' ');
}
