/** What is waiting: for a person, for the service, for a limit, for a signal. */
import { linesPanel, numberPanel, ofAll, percentile, perSecond } from './panel.js';
import type { DashboardDefinition } from './dashboard.js';

const PARKED = ofAll('tramita_flows_parked', ['attention']);
/** As in the alarm: `unexpected-charge` is for information. */
const NEEDS_A_PERSON = ofAll('tramita_flows_parked{attention!="unexpected-charge"}', ['attention']);

export const waiting: DashboardDefinition = {
  name: 'waiting',
  title: 'tramita: waiting and attention',
  rows: {
    'For a person': [
      numberPanel({
        title: 'Flows that need a person',
        description: 'They cost nothing while they wait, 30 days long. `tramita list --attention` names them.',
        queries: { [`sum(${NEEDS_A_PERSON})`]: 'flows' },
        yellow: 1,
      }),
      numberPanel({
        title: 'Alerts that fire',
        description: 'Of the rules in observability/rules.',
        queries: { 'count(ALERTS{alertname=~"Tramita.+", alertstate="firing"}) or vector(0)': 'alerts' },
        red: 1,
      }),
      numberPanel({
        title: 'Calls in flight',
        description: 'Charged calls between intent and settlement.',
        queries: { [ofAll('tramita_calls_open')]: 'calls' },
      }),
      numberPanel({
        title: 'Work the service has not finished',
        description: 'Accepted with 202; a webhook or a poll shows its end.',
        queries: { [ofAll('tramita_calls_pending')]: 'calls' },
      }),
      linesPanel({
        title: 'Flows with an attention',
        description: 'What each attention asks for: docs/operations.md, "Attentions".',
        queries: { [PARKED]: '{{attention}}' },
        stacked: true,
      }),
      linesPanel({
        title: 'Alerts',
        description: 'Rules that fire.',
        queries: { 'count by (alertname) (ALERTS{alertname=~"Tramita.+", alertstate="firing"})': '{{alertname}}' },
      }),
    ],
    'For the service, a limit or a signal': [
      linesPanel({
        title: 'Calls held, by reason',
        description: 'Times a second that a call was not sent: it costs nothing and is tried again.',
        unit: 'cps',
        queries: { [perSecond('tramita_calls_held_total', ['because'])]: '{{because}}' },
        stacked: true,
      }),
      linesPanel({
        title: 'Polls, by how they ended',
        description: 'Many "not yet" for one settled: webhooks would save polls.',
        unit: 'cps',
        queries: { [perSecond('tramita_polls_total', ['end'])]: '{{end}}' },
        stacked: true,
      }),
      linesPanel({
        title: 'Oldest call in flight',
        description:
          'A call takes 45 seconds, a file up to 10 minutes. More: its worker has died, and the sweeper will find it.',
        unit: 's',
        queries: { [ofAll('tramita_calls_open_oldest_seconds')]: 'oldest' },
      }),
      linesPanel({
        title: 'Wakes owed, and the oldest',
        description: 'Signals to flows that are not delivered yet.',
        queries: {
          [ofAll('tramita_wakes_owed')]: 'owed',
          [ofAll('tramita_wakes_owed_oldest_seconds')]: 'oldest, seconds',
        },
      }),
      linesPanel({
        title: 'Wakes of workers, by how they ended',
        description: '"failed" is left to the relay; "relay_error" is a round of the relay that failed.',
        unit: 'cps',
        queries: { [perSecond('tramita_wakes_total', ['end'])]: '{{end}}' },
        stacked: true,
      }),
      linesPanel({
        title: 'Time until a flow is woken',
        description: 'From the settlement or event until Temporal has accepted the signal, workers only.',
        unit: 's',
        queries: {
          [percentile(0.5, 'tramita_wake_seconds')]: 'half',
          [percentile(0.95, 'tramita_wake_seconds')]: '95 %',
        },
      }),
    ],
  },
};
