/**
 * What planned calls cost together, and which cap stops them: the ledger's own decision about caps, asked call by call in the
 * order in which the flow makes them. Pure.
 */
import { formatAmount, type Amount } from '../contract/index.js';
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

/** Each flow has its own cap; the others are shared by all of them. */
export function sumUp(
  flows: Flows,
  limits: Limits,
  figures: SharedFigures,
): { readonly cost: CostAhead; readonly stop: CapAhead | null } {
  // Caps of a flow and of a portfolio are moved only by a person; those of the account by the day and by other flows.
  const firm = spendInOrder(flows, { ...limits, day: undefined, floor: undefined }, figures);
  const all = spendInOrder(flows, limits, figures);
  const stop = all.stop === undefined ? null : capOf(all.stop);
  const room = roomUnder(limits, flows.length, figures);
  return { cost: costOf(flows, firm, { room, isLessToday: all.spent !== firm.spent }), stop };
}

/** What the caps of the flows and of their portfolio let through. */
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
  // In which order flows reach a cap that they share is not known before; alike they are all the same to it.
  const alike = new Set(lines.map(({ reserved, price }) => `${reserved}/${String(price)}`)).size === 1;
  if (stop === undefined || (isCertain && (alike || stop.cap === 'flow'))) {
    return { kind: isCertain && !isLessToday ? 'exact' : 'at most', amount: formatAmount(spent) };
  }
  const total = lines.reduce((sum, { price, most }) => sum + (price ?? 0) * most, 0);
  const beyond = Math.max(0, ...lines.map(({ price, reserved }) => (price ?? 0) - reserved));
  const calls = Math.min(flows.length, lines.length);
  return { kind: 'at most', amount: formatAmount(Math.min(total, room + beyond * calls)) };
}

/** As if every call that may be made is made. */
function spendInOrder(flows: Flows, limits: Limits, start: SharedFigures): Spending {
  let spent = 0;
  let isKnown = true;
  let stop: Spending['stop'];
  for (const lines of flows) {
    let flowSpent = 0;
    flow: for (const { operation, most, price, reserved } of lines) {
      for (let call = 0; call < most; call += 1) {
        const over = decideBudget(reserved, limits, {
          flowSpent: flowSpent as Amount,
          sharedSpent: (start.sharedSpent + spent) as Amount,
          daySpent: (start.daySpent + spent) as Amount,
          lastBalance: start.lastBalance === null ? null : ((start.lastBalance - spent) as Amount),
          held: start.held,
        });
        if (over !== undefined) {
          stop ??= { ...over, operation, spentBefore: isKnown ? spent : null, paid: flowSpent > 0 };
          break flow;
        }
        isKnown &&= price !== null;
        const cost = price ?? reserved;
        spent += cost;
        flowSpent += cost;
      }
    }
  }
  return { spent, ...(stop === undefined ? {} : { stop }) };
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
