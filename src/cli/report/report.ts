/** What a report says, from the sums of ledger and inbox: sections of bars, each with an exact table. Pure. */
import { addAmounts, formatAmount, ZERO_AMOUNT, type Amount } from '../../contract/index.js';
import type { MissedEvents } from '../../inbox/index.js';
import { AGE_BUCKETS, type LedgerReport, type SavedBy } from '../../ledger/index.js';

export interface AccountFigures extends LedgerReport {
  readonly account: string;
  /** Null where nothing of the time is known any more. */
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
  /** Exact: every figure of the chart. The last row is the sum where `isSum` says so. */
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
  'under way': 'an equal call was under way',
  once: 'bought before under its once key',
  kept: 'an answer was there, young enough',
};

const WAIT_TONES: Readonly<Record<string, Tone>> = { done: 'known', charged_lost: 'bad', unknown: 'bad' };
const SAVED_ORDER: readonly SavedBy[] = ['under way', 'kept', 'once'];

/** `days`: every day of the report, also those without a call. */
export function buildCharts(figures: AccountFigures, days: readonly string[]): readonly Chart[] {
  const { spend, webhooks } = figures;
  const saved = SAVED_ORDER.flatMap((by) => figures.saved.filter((row) => row.by === by));
  const undecided = AGE_BUCKETS.flatMap((age) => figures.undecided.filter((row) => row.age === age));
  const waits = [...figures.waits].sort(
    (left, right) => right.count - left.count || (left.state < right.state ? -1 : 1),
  );
  const perDay = sumBy(spend, ({ day }) => day);
  const months = [...new Set(days.map((day) => day.slice(0, 7)))];
  const isLong = days.length > 62;
  const perMonth = sumBy(spend, ({ day }) => day.slice(0, 7));
  const shown = shownWithPlaces(spend.flatMap(({ charged, held }) => [charged, held]));
  const savedShown = shownWithPlaces(saved.map((row) => row.saved));
  const heldShown = shownWithPlaces(undecided.map(({ reserved }) => reserved));
  const bySize = (sums: ReadonlyMap<string, Spent>): readonly (readonly [string, Spent])[] =>
    [...sums].sort(([, left], [, right]) => right.charged + right.held - left.charged - left.held);
  return [
    spentChart({
      ...{ title: isLong ? 'Spend by month' : 'Spend by day', kind: 'columns', what: isLong ? 'Month' : 'Day' },
      text: 'Civil days of São Paulo on which the calls were opened.',
      shown,
      sums: (isLong ? months : days).map((at) => [at, (isLong ? perMonth : perDay).get(at) ?? NOTHING]),
    }),
    spentChart({
      ...{ title: 'Spend by operation', kind: 'bars', what: 'Operation' },
      text: 'Operations of the service.',
      shown,
      sums: bySize(sumBy(spend, ({ operation }) => operation)),
    }),
    spentChart({
      ...{ title: 'Spend by flow', kind: 'bars', what: 'Flow' },
      text: 'Kinds of flows, by their workflow type.',
      shown,
      sums: bySize(sumBy(spend, ({ workflowType }) => workflowType)),
    }),
    {
      ...{ title: 'What was not paid twice', kind: 'bars', unit: 'amount', isSum: false },
      text: 'Calls that took the answer of an equal call, at what that one cost; where nobody knows its charge, nothing is counted as saved. Young enough is an answer by maxAge, or one that was bought since the flow was started.',
      bars: saved.map(({ by, saved: amount }) => ({
        label: SAVED_BY[by],
        parts: [{ tone: 'plain', label: 'saved', value: amount }],
      })),
      head: ['Why', 'Calls', 'Saved', 'Calls at a charge nobody knows'],
      rows: saved.map(({ by, calls, saved: amount, unknownCalls }) => [
        ...[SAVED_BY[by], String(calls), savedShown(amount), String(unknownCalls)],
      ]),
    },
    {
      ...{ title: 'Charges that nobody knows, by age', kind: 'bars', unit: 'count', isSum: false },
      text: 'As of now, whenever they were made. They count against the caps at what is held for them, and wait for evidence or a person: tramita list --attention.',
      bars: undecided.map(({ state, age, count }) => ({
        label: `${age}, ${words(state)}`,
        parts: [
          { tone: age === 'under 1 h' || age === '1 h to 1 day' ? 'held' : 'bad', label: 'charges', value: count },
        ],
      })),
      head: ['Age', 'State', 'Charges', 'Held'],
      rows: undecided.map(({ state, age, count, reserved }) => [age, words(state), String(count), heldShown(reserved)]),
    },
    {
      ...{ title: 'How waits ended', kind: 'bars', unit: 'count', isSum: false },
      text: 'Work that the service accepted (202) in this time, by its state now.',
      bars: waits.map(({ state, decided, count }) => ({
        label: `${words(state)}${decided ? ', by a person' : ''}`,
        parts: [{ tone: WAIT_TONES[state] ?? 'plain', label: 'calls', value: count }],
      })),
      head: ['State', 'Decided by a person', 'Calls'],
      rows: waits.map(({ state, decided, count }) => [words(state), decided ? 'yes' : 'no', String(count)]),
    },
    webhookChart(webhooks),
  ];
}

function webhookChart(webhooks: AccountFigures['webhooks']): Chart {
  const { expected, missed, late } = webhooks ?? { expected: 0, missed: 0, late: 0 };
  const rows = [
    ['came in time', 'known', expected - missed],
    ['came after polling ended the wait', 'held', late],
    ['never came', 'bad', missed - late],
  ] as const;
  const seen = rows.filter(([, , count]) => count > 0);
  return {
    ...{ title: 'Webhooks that were expected', kind: 'bars', unit: 'count', isSum: false },
    text:
      webhooks === null
        ? 'Not known: what woke a flow is kept for 30 days, and this time is older.'
        : 'Waits that ended in this time (of the last 30 days) and expected a webhook. Many that never came: tramita events missed.',
    bars: seen.map(([label, tone, value]) => ({ label, parts: [{ tone, label: 'waits', value }] })),
    head: ['Webhook', 'Waits'],
    rows: seen.map(([label, , count]) => [label, String(count)]),
  };
}

function spentChart({
  sums,
  what,
  shown,
  ...chart
}: Pick<Chart, 'title' | 'text' | 'kind'> & {
  readonly sums: readonly (readonly [string, Spent])[];
  readonly what: string;
  readonly shown: (amount: Amount) => string;
}): Chart {
  const row = (label: string, { charged, chargedCalls, held, heldCalls }: Spent): readonly string[] => [
    ...[label, shown(charged), String(chargedCalls), shown(held), String(heldCalls)],
  ];
  const total = sums.reduce((sum, [, each]) => add(sum, each), NOTHING);
  const isSum = sums.some(([, { charged, held }]) => charged !== 0 || held !== 0);
  return {
    ...chart,
    ...{ unit: 'amount', isSum },
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

/** At least two places, and as many as one of them needs: all exact, and under one another. */
function shownWithPlaces(amounts: readonly Amount[]): (amount: Amount) => string {
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
