/** What is spent, what is held, and what is not known yet. Amounts are in the currency of the account. */
import { linesPanel, numberPanel, ofAll } from './panel.js';
import type { DashboardDefinition } from './dashboard.js';

const SPENT = ofAll('tramita_spent_today', ['account']);
const CAP = ofAll('tramita_cap_per_day', ['account']);
const CHARGED = ofAll('tramita_charged_today', ['account', 'operation', 'source']);

export const money: DashboardDefinition = {
  name: 'money',
  title: 'tramita: money',
  rows: {
    'Today (São Paulo)': [
      numberPanel({
        title: 'Spent today',
        description:
          'Charged today, and held for calls whose charge is not known: what counts against the cap per day.',
        queries: { [SPENT]: '{{account}}' },
        decimals: 2,
      }),
      numberPanel({
        title: 'Share of the cap',
        description: 'At 100 % calls are held and flows park as `budget`. Empty: no cap is set.',
        unit: 'percentunit',
        queries: { [`${SPENT} / ${CAP}`]: '{{account}}' },
        yellow: 0.8,
        red: 1,
      }),
      numberPanel({
        title: 'Balance',
        description: 'From the newest answer that reported one.',
        queries: { [ofAll('tramita_balance', ['account'])]: '{{account}}' },
        decimals: 2,
      }),
      numberPanel({
        title: 'Undecided charges',
        description: 'Unknown, or paid with a lost answer. Each waits for evidence or for a person.',
        queries: { [`sum(${ofAll('tramita_charges_undecided', ['state', 'age'])})`]: 'charges' },
        yellow: 1,
      }),
    ],
    'Over time': [
      linesPanel({
        title: 'Spent today, and the cap',
        description: 'Begins at zero at midnight of São Paulo.',
        queries: { [SPENT]: '{{account}} spent', [CAP]: '{{account}} cap' },
      }),
      linesPanel({
        title: 'Charged today, by operation',
        description: 'Charges that are known.',
        queries: { [`sum by (operation) (${CHARGED})`]: '{{operation}}' },
        stacked: true,
      }),
      linesPanel({
        title: 'Held for unknown charges, by operation',
        description: 'Counts against the caps until it is decided.',
        queries: { [`sum by (operation) (${ofAll('tramita_reserved', ['account', 'operation'])})`]: '{{operation}}' },
        stacked: true,
      }),
      linesPanel({
        title: 'Balance, and its floor',
        description: 'Calls wait where the next one would leave less than the floor.',
        queries: {
          [ofAll('tramita_balance', ['account'])]: '{{account}} balance',
          [ofAll('tramita_min_balance', ['account'])]: '{{account}} floor',
        },
      }),
      linesPanel({
        title: 'Undecided charges, by age',
        description: 'What is older than a day has been forgotten by somebody.',
        queries: { [`sum by (age) (${ofAll('tramita_charges_undecided', ['state', 'age'])})`]: '{{age}}' },
        stacked: true,
      }),
      linesPanel({
        title: 'Charged today, by what told the amount',
        description: 'told: the answer; listed: the price list of the interface; evidence: the balance.',
        queries: { [`sum by (source) (label_replace(${CHARGED}, "source", "told", "source", ""))`]: '{{source}}' },
        stacked: true,
      }),
      linesPanel({
        title: 'What does not fit',
        description:
          'Late answers that contradict a decision, ever, and reads charged that should be free, in 30 days. `tramita ledger check` names them.',
        queries: {
          [ofAll('tramita_settlement_conflicts')]: 'contradicted decisions',
          [ofAll('tramita_unexpected_charges')]: 'unexpected charges',
        },
      }),
    ],
  },
};
