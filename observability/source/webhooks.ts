/** What the service delivers, and how it is handled. */
import { linesPanel, numberPanel, ofAll, percentile, perSecond } from './panel.js';
import type { DashboardDefinition } from './dashboard.js';

export const webhooks: DashboardDefinition = {
  name: 'webhooks',
  title: 'tramita: webhooks',
  rows: {
    Now: [
      numberPanel({
        title: 'Webhooks are silent',
        description:
          '1: the last webhooks that the account expected did not arrive; its flows poll. `tramita events missed`.',
        queries: { [ofAll('tramita_webhooks_silent', ['account'])]: '{{account}}' },
        red: 1,
      }),
      numberPanel({
        title: 'Bridges that answer',
        description: 'Processes that Prometheus reaches.',
        queries: { 'sum(up{job="tramita-bridge"})': 'bridges' },
      }),
      numberPanel({
        title: 'Wakes owed',
        description: 'Events whose signal to a flow is not delivered yet.',
        queries: { [ofAll('tramita_wakes_owed')]: 'wakes' },
      }),
      numberPanel({
        title: 'Skew of the last delivery',
        description: 'Our clock minus the timestamp of the delivery, which is not signed and refuses nothing.',
        unit: 's',
        queries: { 'max(tramita_bridge_timestamp_skew_seconds)': 'seconds' },
      }),
    ],
    'Over time': [
      linesPanel({
        title: 'Deliveries',
        description: 'Answered 2xx: new, known already, all-zero probes.',
        unit: 'cps',
        queries: {
          [perSecond('tramita_bridge_accepted_total')]: 'new',
          [perSecond('tramita_bridge_duplicate_total')]: 'known already',
          [perSecond('tramita_bridge_probe_total')]: 'probes',
        },
        stacked: true,
      }),
      linesPanel({
        title: 'Refused, by reason',
        description: 'Signatures: a secret was changed on one side, or somebody forges.',
        unit: 'cps',
        queries: { [perSecond('tramita_bridge_refused_total', ['reason'])]: '{{reason}}' },
        stacked: true,
      }),
      linesPanel({
        title: 'Kept for inspection',
        description: 'Conflicts: one event id with two bodies. Parked: authentic, and not readable.',
        unit: 'cps',
        queries: {
          [perSecond('tramita_bridge_conflict_total')]: 'conflicts',
          [perSecond('tramita_bridge_parked_total')]: 'parked',
        },
      }),
      linesPanel({
        title: 'Wakes of bridges, by how they ended',
        description: 'What could not be delivered at once is left to the relay of a bridge or a worker.',
        unit: 'cps',
        queries: {
          [perSecond('tramita_bridge_woken_total')]: 'woken',
          [perSecond('tramita_bridge_late_total')]: 'late: the flow had ended',
          [perSecond('tramita_bridge_failed_total')]: 'left to the relay',
          [perSecond('tramita_bridge_relayed_total')]: 'relayed',
          [perSecond('tramita_bridge_relay_error_total')]: 'rounds of the relay that failed',
        },
      }),
      linesPanel({
        title: 'Time from an event to the flow',
        description: 'From recording the event until Temporal has accepted the signal.',
        unit: 's',
        queries: {
          [percentile(0.5, 'tramita_bridge_wake_seconds')]: 'half',
          [percentile(0.95, 'tramita_bridge_wake_seconds')]: '95 %',
        },
      }),
      linesPanel({
        title: 'Oldest wake owed',
        description: 'Above two minutes neither a bridge nor a worker reaches Temporal.',
        unit: 's',
        queries: { [ofAll('tramita_wakes_owed_oldest_seconds')]: 'oldest' },
      }),
    ],
  },
};
