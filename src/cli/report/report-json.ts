/** The figures of a report as `tramita report --json` prints them: decimal strings, no workflow id and no case number. Pure. */
import { formatAmount } from '../../contract/index.js';
import type { AccountFigures } from './report.js';

export function reportJson({ account, spend, saved, undecided, waits, webhooks }: AccountFigures): object {
  return {
    account,
    spend: spend.map((row) => ({ ...row, charged: formatAmount(row.charged), held: formatAmount(row.held) })),
    saved: saved.map((row) => ({ ...row, saved: formatAmount(row.saved) })),
    undecided: undecided.map((row) => ({ ...row, reserved: formatAmount(row.reserved) })),
    waits,
    // `tramita events missed` lists the deliveries themselves
    webhooks: webhooks === null ? null : { expected: webhooks.expected, missed: webhooks.missed, late: webhooks.late },
  };
}
