/** The two tables: medians with the lowest and the highest of the rounds, and what happened to the money. Pure. */
import { formatTable } from '../../soak/format-table.js';
import { median } from '../../soak/numbers.js';
import type { Tries } from './contender.js';
import type { Turn } from './speed.js';
import type { Verdict } from './truth.js';

export interface SpeedRow {
  readonly name: string;
  readonly turns: readonly Turn[];
  readonly waitingKb: number;
}

export interface TruthRow {
  readonly name: string;
  readonly tries: Tries;
  readonly verdict: Verdict;
}

export function speedTable(rows: readonly SpeedRow[]): string {
  const first = rows[0]?.turns ?? [];
  const head = [
    ...['', 'flows/s', `÷ ${rows[0]?.name ?? ''}`, 'worker CPU ms/flow', 'all CPU ms/flow'],
    ...['statements/flow', 'worker MB', 'KB per waiting flow', 'wake ms'],
  ];
  const body = rows.map(({ name, turns, waitingKb }) => {
    const of = (read: (turn: Turn) => number, places = 0): string => spread(turns.map(read), places);
    const ratios = turns.map((turn, round) => turn.flowsPerSecond / (first[round]?.flowsPerSecond ?? NaN));
    return [
      name,
      of((turn) => turn.flowsPerSecond, 1),
      spread(ratios, 2),
      of((turn) => turn.workerCpuMs, 1),
      of((turn) => turn.allCpuMs, 1),
      of((turn) => turn.statements, 1),
      of((turn) => turn.workerMb),
      waitingKb.toFixed(0),
      of((turn) => turn.wakeMs),
    ];
  });
  return formatTable([head, ...body]);
}

export function truthTable(rows: readonly TruthRow[]): string {
  const head = [
    ...['', 'the paid call is', 'finished', 'paid twice', 'paid and lost unseen', 'stuck', 'needs a person'],
    ...['charges', 'kills', 'seconds'],
  ];
  const body = rows.map(({ name, tries, verdict }) => {
    const { flows, finished, paidTwice, lostUnseen, stuck, person, charges, kills, seconds } = verdict;
    const calls = tries === 'documented' ? 'tried again, as documented' : 'sent once';
    return [
      ...[name, calls, `${finished} of ${flows}`],
      ...[paidTwice, lostUnseen, stuck, person, charges, kills, Math.round(seconds)].map(String),
    ];
  });
  return formatTable([head, ...body]);
}

/** Median (lowest–highest). */
function spread(values: readonly number[], places: number): string {
  const [low, mid, high] = [Math.min(...values), median(values), Math.max(...values)].map((each) =>
    each.toFixed(places),
  );
  return `${mid} (${low}–${high})`;
}
