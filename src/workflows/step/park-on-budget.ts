/** What happens where a spending cap or the floor of the balance stops a call: each limit, and what makes room under it. */
import { patched } from '@temporalio/workflow';
import { formatAmount, formatDuration, GIVE_UP_AFTER_MS, parseAmount } from '../../contract/values/index.js';
import type { CallHeld } from '../../protocol/index.js';
import type { Flow } from '../flow/flow.js';
import { hasBought } from '../flow/flow-record.js';
import type { ChargedStep } from './step-run.js';

type StoppedCall = Extract<CallHeld, { because: 'budget' }>;

/** A cap or the floor stops the next call. A flow that has bought nothing fails at once instead. */
export async function parkOnBudget(
  flow: Flow,
  { step, title, operation }: ChargedStep,
  held: StoppedCall,
): Promise<void> {
  const { exceeds, room, first } = BUDGETS[held.cap];
  const story = `${title} would ${exceeds}: ${budgetFigures(held)}`;
  const ownCap = held.cap === 'flow' && isAmount(held.limit, flow.settings.maxSpend);
  const cure = ownCap ? 'Start again with a larger maxSpend' : `${first} Then start again`;
  if (!flow.paid() || (!hasBought(flow.book().records) && patched('budget-ends-what-has-bought-nothing'))) {
    throw flow.fail('BudgetExceeded', `${story}; nothing was sent. ${cure}`, { operation });
  }
  await flow.parkUntilVerdict({
    attention: 'budget',
    waitingFor: room,
    accepts: ['resume'],
    note: {
      step,
      story: `${story}. Nothing was sent. ${ownCap ? '' : first}`.trimEnd(),
      choices: [
        '`resume`: check again; the call is sent and charged if there is room by then',
        ...(ownCap ? ['`resume` with `maxSpend` (`--max-spend …`): check again with a higher cap of this flow'] : []),
      ],
    },
    givesUp: {
      type: 'BudgetExceeded',
      operation,
      message: `${story}, and nobody made room in ${formatDuration(GIVE_UP_AFTER_MS)}. ${cure}`,
    },
  });
}

/** The flow's `maxSpend` is the limit; if it is larger, a setting of the account is. */
function isAmount(limit: string, maxSpend: string | undefined): boolean {
  return maxSpend !== undefined && parseAmount(maxSpend) === parseAmount(limit);
}

/** `spent 0.2, this call 0.1, cap 0.25`. Pure. */
export function budgetFigures({ cap, limit, needed, price, balance }: StoppedCall): string {
  if (cap === 'balance') {
    return [
      ...(balance === undefined ? [] : [`balance ${balance}`]),
      ...(price === undefined ? [] : [`this call ${price}`]),
      `floor ${limit}`,
      `needed with what is reserved ${needed}`,
    ].join(', ');
  }
  if (price === undefined) return `needed ${needed}, cap ${limit}`;
  const spent = formatAmount((parseAmount(needed) ?? 0) - (parseAmount(price) ?? 0));
  return `spent ${spent}, this call ${price}, cap ${limit}`;
}

/** `exceeds`: what the call would do to the limit. `room`: what the flow waits for. `first`: what a person does first. */
const BUDGETS = {
  flow: exceeding(
    'the cap of this flow',
    'Raise maxSpendPerFlow of the account (TRAMITA_MAX_SPEND_PER_FLOW) and restart the workers.',
  ),
  day: exceeding(
    'the daily cap of the account',
    'Wait for tomorrow (in São Paulo), or raise maxSpendPerDay of the account (TRAMITA_MAX_SPEND_PER_DAY) and restart the workers; a charge that is decided as not made makes room too.',
  ),
  balance: {
    exceeds: 'take the balance of the account below its floor',
    room: 'a balance above the floor of the account',
    first: 'Top up the account, or lower its minBalance (TRAMITA_MIN_BALANCE) and restart the workers.',
  },
  shared: exceeding(
    'the budget of the portfolio',
    'The portfolio that started this flow has spent its maxSpend, which stays as it is for this flow; a charge that is decided as not made makes room.',
  ),
} as const;

function exceeding(cap: string, first: string) {
  return { exceeds: `exceed ${cap}`, room: `room under ${cap}`, first };
}
