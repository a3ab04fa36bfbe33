/**
 * What planned calls cost together, and which cap stops them: applies the ledger's own decision about caps to each call, in
 * the order in which the flow makes them. Pure.
 */
import { formatAmount, present, type Amount } from '../contract/index.js';
import { decideBudget, type Limits, type OverBudget, type SharedFigures } from '../ledger/index.js';
import type { Line } from './line.js';
import type { CapAhead, CostAhead } from './types.js';

type Flows = readonly (readonly Line[])[];

interface Spending {
  readonly spent: number;
  readonly stop?: OverBudget & {
    readonly operation: string;
    readonly spentBefore: number | null;
    readonly paid: boolean;
  };
}

/** The `flow` cap applies to each flow; all flows share the other caps. */
export function sumUp(
  flows: Flows,
  limits: Limits,
  figures: SharedFigures,
): { readonly cost: CostAhead; readonly stop: CapAhead | null } {
  // Only a person changes the caps of a flow and of a portfolio. What the account's caps allow changes daily and with other flows.
  const firm = spendInOrder(flows, { ...limits, day: undefined, floor: undefined }, figures);
  const all = spendInOrder(flows, limits, figures);
  const stop = all.stop === undefined ? null : capOf(all.stop);
  const room = roomUnder(limits, flows.length, figures);
  return { cost: costOf(flows, firm, { room, isLessToday: all.spent !== firm.spent }), stop };
}

/** The most that the caps of the flows and of their portfolio allow. */
function roomUnder(limits: Limits, flows: number, { sharedSpent }: SharedFigures): number {
  const shared = limits.shared === undefined ? Infinity : Math.max(0, limits.shared - sharedSpent);
  const own = limits.flow === undefined ? Infinity : limits.flow * flows;
  return Math.min(shared, own);
}

/** `isLessToday`: a cap of the account stops it earlier today. */
function costOf(
  flows: Flows,
  { spent, stop }: Spending,
  { room, isLessToday }: { readonly room: number; readonly isLessToday: boolean },
): CostAhead {
  const lines = flows.flat().filter(({ most }) => most > 0);
  if (lines.some(({ price }) => price === null)) {
    return room === Infinity ? { kind: 'unknown', amount: null } : { kind: 'cap', amount: formatAmount(room) };
  }
  const isCertain = lines.every(({ least, most, isBound }) => least === most && !isBound);
  // In which order flows reach a shared cap is not known; it does not matter if all calls are alike.
  const alike = new Set(lines.map(({ reserved, price }) => `${reserved}/${String(price)}`)).size === 1;
  if (stop === undefined || (isCertain && (alike || stop.cap === 'flow'))) {
    return { kind: isCertain && !isLessToday ? 'exact' : 'at most', amount: formatAmount(spent) };
  }
  const total = lines.reduce((sum, { price, most }) => sum + (price ?? 0) * most, 0);
  const beyond = lines.reduce((most, { price, reserved }) => Math.max(most, (price ?? 0) - reserved), 0);
  const calls = Math.min(flows.length, lines.length);
  return { kind: 'at most', amount: formatAmount(Math.min(total, room + beyond * calls)) };
}

/** Spends as if every call that may be made is made, until a cap stops it. */
function spendInOrder(flows: Flows, limits: Limits, start: SharedFigures): Spending {
  let spent = 0;
  let isKnown = true;
  let stop: Spending['stop'];
  for (const lines of flows) {
    let flowSpent = 0;
    for (const { operation, price, reserved } of everyCall(lines)) {
      const over = decideBudget(reserved, limits, {
        flowSpent: flowSpent as Amount,
        sharedSpent: (start.sharedSpent + spent) as Amount,
        daySpent: (start.daySpent + spent) as Amount,
        lastBalance: start.lastBalance === null ? null : ((start.lastBalance - spent) as Amount),
        held: start.held,
      });
      if (over !== undefined) {
        stop ??= { ...over, operation, spentBefore: isKnown ? spent : null, paid: flowSpent > 0 };
        break;
      }
      isKnown &&= price !== null;
      const cost = price ?? reserved;
      spent += cost;
      flowSpent += cost;
    }
  }
  return { spent, ...present({ stop }) };
}

function* everyCall(lines: readonly Line[]): Generator<Line> {
  for (const line of lines) for (let call = 0; call < line.most; call += 1) yield line;
}

function capOf({ cap, limit, needed, operation, spentBefore, paid }: NonNullable<Spending['stop']>): CapAhead {
  return {
    cap,
    operation,
    ends: !paid,
    limit: formatAmount(limit),
    needed: formatAmount(needed),
    spentBefore: spentBefore === null ? null : formatAmount(spentBefore),
  };
}
