/** How the paid service answers, and what we hold because of it. */
import { linesPanel, numberPanel, ofAll, percentile, perSecond } from './panel.js';
import type { DashboardDefinition } from './dashboard.js';

const CALLS = 'tramita_calls_total';

export const service: DashboardDefinition = {
  name: 'service',
  title: 'tramita: the service',
  rows: {
    Now: [
      numberPanel({
        title: 'Brake',
        description: '1: the last charged calls ended in 5xx or without an answer; further ones wait unsent.',
        queries: { [`max by (account) (tramita_account_held{because="outage"})`]: '{{account}}' },
        red: 1,
      }),
      numberPanel({
        title: 'Throttled',
        description: '1: the service has answered 429 and said when to ask again.',
        queries: { [`max by (account) (tramita_account_held{because=~"throttled|polls-throttled"})`]: '{{account}}' },
        yellow: 1,
      }),
      numberPanel({
        title: 'Failures in a row',
        description: 'Charged calls that ended in 5xx or without an answer; the brake closes at `outageAfter`.',
        queries: { [ofAll('tramita_account_failures', ['account'])]: '{{account}}' },
        yellow: 1,
      }),
      numberPanel({
        title: 'Ledger held',
        description: '1: calls of all accounts wait, because the ledger may have forgotten some.',
        queries: { [ofAll('tramita_ledger_held')]: 'held' },
        red: 1,
      }),
    ],
    'Over time': [
      linesPanel({
        title: 'Charged calls, by outcome',
        description: 'reused: an existing answer was used, nothing was sent. unknown: it may have been charged.',
        unit: 'cps',
        queries: { [perSecond(CALLS, ['outcome'])]: '{{outcome}}' },
        stacked: true,
      }),
      linesPanel({
        title: 'Charged calls, by operation',
        description: 'Whatever became of them.',
        unit: 'cps',
        queries: { [perSecond(CALLS, ['operation'])]: '{{operation}}' },
        stacked: true,
      }),
      linesPanel({
        title: 'Share of calls whose charge is not known',
        description: 'Of all calls that were sent.',
        unit: 'percentunit',
        queries: {
          [`${perSecond(`${CALLS}{outcome=~"unknown|charged_lost"}`)} / ${perSecond(`${CALLS}{outcome!~"reused|refused|not_sent"}`)}`]:
            'share',
        },
      }),
      linesPanel({
        title: 'Time of a call, by operation (95 %)',
        description: 'From intent to settlement, of calls that were sent.',
        unit: 's',
        queries: { [percentile(0.95, 'tramita_call_duration_seconds', ['operation'])]: '{{operation}}' },
      }),
      linesPanel({
        title: 'Time of a call, by outcome (half)',
        description: 'An outage shows as slow unknown calls.',
        unit: 's',
        queries: { [percentile(0.5, 'tramita_call_duration_seconds', ['outcome'])]: '{{outcome}}' },
      }),
      linesPanel({
        title: 'Holds of accounts',
        description: '1 while calls wait unsent.',
        queries: { [ofAll('tramita_account_held', ['account', 'because'])]: '{{account}} {{because}}' },
      }),
    ],
  },
};
