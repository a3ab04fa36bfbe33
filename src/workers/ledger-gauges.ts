/** The whole ledger as gauges: money in the account's currency, undecided charges by age, holds of accounts. Pure. */
import { AMOUNT_SCALE } from '../contract/index.js';
import { AGE_BUCKETS, type LedgerFigures, type MoneyFigure } from '../ledger/index.js';
import { amounts, figure, seconds, single, type Figure, type Sample } from './gauges-text.js';

export function ledgerGauges(figures: LedgerFigures): readonly Figure[] {
  const { chargedToday, spentToday, balances, reserved, undecided, holds } = figures;
  return [
    figure(
      'tramita_charged_today',
      'Charged today (São Paulo), in the currency of the account.',
      chargedToday.map(money),
    ),
    figure('tramita_reserved', 'Held for calls whose charge is not known yet.', reserved.map(money)),
    figure(
      'tramita_spent_today',
      'What counts against the cap per day: charged today (São Paulo), and held for calls whose charge is not known.',
      amounts(spentToday),
    ),
    figure('tramita_balance', 'The last balance that was reported for the account.', amounts(balances)),
    figure(
      'tramita_charges_undecided',
      'Charges that are unknown, whose answer is lost, or whose work has been pending for too long, by age.',
      [
        ...(['unknown', 'charged_lost', 'pending'] as const).flatMap((state) =>
          AGE_BUCKETS.map((age) => ({
            labels: { state, age },
            value: undecided.find((row) => row.state === state && row.age === age)?.count ?? 0,
          })),
        ),
      ],
    ),
    single('tramita_calls_open', 'Charged calls on their way.', figures.open),
    single('tramita_calls_open_oldest_seconds', 'Age of the oldest of them.', seconds(figures.oldestOpenMs)),
    single('tramita_calls_pending', 'Work that the service has accepted and not finished.', figures.pending),
    single(
      'tramita_ledger_held',
      'Whether charged calls wait because the ledger may have forgotten some.',
      figures.isLedgerHeld ? 1 : 0,
    ),
    single(
      'tramita_ledger_journals_unheard',
      'Journals of workers that were not heard in this life of the database.',
      figures.journalsUnheard,
    ),
    single('tramita_settlement_conflicts', 'Late answers that contradict a decision, ever.', figures.conflicts),
    single(
      'tramita_unexpected_charges',
      'Reads that should be free and were charged, in the last 30 days.',
      figures.unexpected,
    ),
    figure(
      'tramita_account_held',
      'Whether calls of the account wait unsent, and why.',
      holds.flatMap(({ account, outage, throttled, freeThrottled }) => [
        { labels: { account, because: 'outage' }, value: outage ? 1 : 0 },
        { labels: { account, because: 'throttled' }, value: throttled ? 1 : 0 },
        { labels: { account, because: 'polls-throttled' }, value: freeThrottled ? 1 : 0 },
      ]),
    ),
    figure(
      'tramita_account_failures',
      'Charged calls in a row that ended in 5xx or without an answer.',
      holds.map(({ account, failures }) => ({ labels: { account }, value: failures })),
    ),
  ];
}

/** A charge that no answer reported has a label `source`; the others keep the labels that they always had. */
function money({ account, operation, source = 'told', amount }: MoneyFigure): Sample {
  return { labels: { account, operation, ...(source === 'told' ? {} : { source }) }, value: amount / AMOUNT_SCALE };
}
