/** Fixed figures of a month for tests of `tramita report`. */
import type { AccountFigures } from '../../src/cli/report/report.js';
import { formatAmount, type Amount } from '../../src/contract/index.js';

export const money = (amount: number): string => formatAmount(amount);
export const DAYS = Array.from({ length: 31 }, (_, at) => `2026-03-${String(at + 1).padStart(2, '0')}`);

const CALLS = [
  ['requestRefresh', 'refreshCase', 1_000, 40],
  ['listPublicDocuments', 'refreshCase', 500, 22],
  ['getCase', 'readCase', 700, 9],
  ['searchLawyerCases', 'importLawyerCases', 2_350, 3],
  ['summarizeCase', 'summarizeCase', 4_000, 1],
] as const;

export const FIGURES: AccountFigures = {
  account: 'default',
  spend: DAYS.flatMap((day, at) =>
    CALLS.map(([operation, workflowType, price, most], place) => {
      // Quiet weekends, an outage on the 12th.
      const calls = at % 7 > 4 ? 0 : (most * (7 + ((at * 5 + place * 3) % 9))) >> 3;
      const heldCalls = at === 11 ? Math.ceil(most / 2) : at === 20 && place === 0 ? 3 : 0;
      return {
        day,
        operation,
        workflowType,
        chargedCalls: calls,
        heldCalls,
        charged: (calls * price) as Amount,
        held: (heldCalls * price) as Amount,
      };
    }),
  ),
  saved: [
    { by: 'under way', calls: 214, saved: 214_000 as Amount, unknownCalls: 0 },
    { by: 'kept', calls: 61, saved: 39_050 as Amount, unknownCalls: 2 },
    { by: 'once', calls: 12, saved: 12_000 as Amount, unknownCalls: 0 },
  ],
  undecided: [
    { state: 'unknown', age: 'under 1 h', count: 2, reserved: 2_000 as Amount },
    { state: 'unknown', age: '1 h to 1 day', count: 5, reserved: 4_500 as Amount },
    { state: 'charged_lost', age: '1 to 7 days', count: 1, reserved: 1_000 as Amount },
    { state: 'unknown', age: 'over 7 days', count: 1, reserved: 2_350 as Amount },
  ],
  waits: [
    { state: 'done', decided: false, count: 873 },
    { state: 'done', decided: true, count: 4 },
    { state: 'rejected', decided: false, count: 12 },
    { state: 'pending', decided: false, count: 9 },
    { state: 'charged_lost', decided: false, count: 1 },
  ],
  webhooks: { expected: 880, missed: 31, late: 22 },
};
