/** Workers and bridges: whether they are alive, reach what they need, and keep up. */
import { linesPanel, numberPanel, ofAll, percentile, perSecond } from './panel.js';
import type { DashboardDefinition } from './dashboard.js';

export const fleet: DashboardDefinition = {
  name: 'fleet',
  title: 'tramita: the fleet',
  rows: {
    Now: [
      numberPanel({
        title: 'Workers that answer',
        description: 'Processes that Prometheus reaches.',
        queries: { 'sum(up{job="tramita-worker"})': 'workers' },
      }),
      numberPanel({
        title: 'Pollers',
        description: '0: no worker asks Temporal for work, and no flow makes progress.',
        queries: { 'sum(temporal_num_pollers)': 'pollers' },
      }),
      numberPanel({
        title: 'Answers on disks alone',
        description: 'Paid, and not in the ledger yet. Keep the disks.',
        queries: { 'sum(tramita_spool_answers)': 'answers' },
        yellow: 1,
      }),
      numberPanel({
        title: 'Age of the figures',
        description: 'How old the figures of the whole installation are; one worker reads them every half minute.',
        unit: 's',
        queries: { [ofAll('tramita_figures_age_seconds')]: 'seconds' },
        yellow: 120,
      }),
    ],
    'What they reach': [
      linesPanel({
        title: 'Reachable',
        description: '1: this worker could read database, Temporal, spool. 0: its figures of it are missing.',
        queries: { 'min by (instance, source) (tramita_worker_reachable)': '{{instance}} {{source}}' },
      }),
      linesPanel({
        title: 'Requests to Temporal that failed',
        description: 'By operation of its interface.',
        unit: 'cps',
        queries: { [perSecond('temporal_request_failure_total', ['operation'])]: '{{operation}}' },
      }),
      linesPanel({
        title: 'Requests to Temporal',
        description: 'Without long polls.',
        unit: 'cps',
        queries: { [perSecond('temporal_request_total')]: 'requests' },
      }),
      linesPanel({
        title: 'Journals not heard',
        description: 'Workers that have not compared their journal in this life of the database.',
        queries: { [ofAll('tramita_ledger_journals_unheard')]: 'journals' },
      }),
    ],
    'Whether they keep up': [
      linesPanel({
        title: 'Wait of tasks for a worker (95 %)',
        description:
          'Seconds of a flow task: too few workers. Calls also wait for their rate, which is as it should be.',
        unit: 's',
        queries: {
          [percentile(0.95, 'temporal_workflow_task_schedule_to_start_latency_seconds')]: 'tasks of flows',
          [percentile(0.95, 'temporal_activity_schedule_to_start_latency_seconds')]: 'calls',
        },
      }),
      linesPanel({
        title: 'Time of a flow task (95 %)',
        description: 'Above a second: a flow with a long history, or a busy machine.',
        unit: 's',
        queries: { [percentile(0.95, 'temporal_workflow_task_execution_latency_seconds')]: 'tasks' },
      }),
      linesPanel({
        title: 'Tasks of flows that failed',
        description: 'Their flows wait. `NonDeterminismError`: the build of this worker cannot replay them.',
        unit: 'cps',
        queries: {
          [perSecond('temporal_workflow_task_execution_failed_total', ['instance', 'failure_reason'])]:
            '{{instance}} {{failure_reason}}',
        },
      }),
      linesPanel({
        title: 'Free slots, by kind of work',
        description: '0 for long: too few workers.',
        queries: { 'sum by (worker_type) (temporal_worker_task_slots_available)': '{{worker_type}}' },
      }),
      linesPanel({
        title: 'Pollers, by kind',
        description: 'By the queue and kind of what they ask for.',
        queries: { 'sum by (task_queue, poller_type) (temporal_num_pollers)': '{{task_queue}} {{poller_type}}' },
      }),
      linesPanel({
        title: 'Flows in memory',
        description: 'Of each worker.',
        queries: { 'sum by (instance) (temporal_sticky_cache_size)': '{{instance}}' },
      }),
    ],
    Disks: [
      linesPanel({
        title: 'Time of a write (99 %)',
        description: 'Every charged call waits for a line of the journal and its answer in the spool.',
        unit: 's',
        queries: { [percentile(0.99, 'tramita_disk_write_seconds', ['what'])]: '{{what}}' },
      }),
      linesPanel({
        title: 'Writes that failed',
        description: 'Nothing is sent without its line of the journal.',
        unit: 'cps',
        queries: { [perSecond('tramita_disk_errors_total', ['instance', 'what'])]: '{{instance}} {{what}}' },
      }),
      linesPanel({
        title: 'Size of the journals',
        description: 'Files go after `journalDays` where every call in them is final.',
        unit: 'bytes',
        queries: { 'max by (instance) (tramita_journal_bytes)': '{{instance}}' },
      }),
      linesPanel({
        title: 'Answers in the spool',
        description: 'Above 0 for minutes: look at the database.',
        queries: { 'max by (instance) (tramita_spool_answers)': '{{instance}}' },
      }),
    ],
  },
};
