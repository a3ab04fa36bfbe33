/**
 * The most that each flow may cost, in counts that must not grow: events, Actions and workflow tasks from real histories,
 * statements and round trips from the wire to PostgreSQL, without the looks that the flows of a worker share. Actions: start,
 * each activity attempt that the server handed out, each workflow task with local activities, timers, signals, upserts
 * (temporal.io pricing, seen 2026-11).
 * When a count falls, the lower value is written here, so that it cannot grow again.
 */
import { caseNumberOf } from '../../soak/identifiers.js';
import type { WorkflowType } from '../../src/protocol/index.js';
import { wakeFlow } from '../../src/starters/index.js';
import { countStatements } from '../support/count-statements.js';
import { until } from '../support/until.js';
import { withFlows, type Flows } from './with-flows.js';

interface Counts {
  readonly events: number;
  readonly actions: number;
  /** Completed workflow tasks. */
  readonly tasks: number;
  readonly statements: number;
  readonly roundTrips: number;
}

const NAMES = ['events', 'actions', 'tasks', 'statements', 'roundTrips'] as const;

/** The counts of one run and the statements that it sent to the database. */
type Counted = Counts & { readonly story: readonly string[] };

interface Row {
  readonly name: string;
  readonly type: WorkflowType;
  readonly input: object;
  /** Started by the typed starter, which sets the search attributes: one upsert less. */
  readonly typed?: true;
  /** The flow waits for a webhook, which comes. */
  readonly woken?: true;
  /** The service announces that the work takes some seconds, so the flow waits and polls. */
  readonly later?: true;
  readonly most: Counts;
}

const most = (events: number, actions: number, tasks: number, statements: number, roundTrips: number): Counts => ({
  events,
  actions,
  tasks,
  statements,
  roundTrips,
});

const cnj = (n: number): string => caseNumberOf(7_000_000 + n);
const BOARD = { from: '2026-09-01', to: '2026-09-10', filters: { courts: ['TSE'] }, maxPages: 2 };
const FILTERS = { from: 'data_inicio', to: 'data_fim', courts: 'tribunais', party: 'parte' };
const DAY_MS = 86_400_000;
const weekAgo = new Date(Date.now() - 8 * DAY_MS).toISOString().slice(0, 10);
/** A call waits five seconds at most for its own work. */
const LATER_MS = 6_000;
const SMALL_LIST = 'SP:123456';

const refresh = { type: 'refreshCase', typed: true } as const;

// prettier-ignore
const ROWS: readonly Row[] = [
  { name: 'refreshCase, done within seconds', ...refresh, input: { cnj: cnj(1), webhook: false }, most: most(11, 2, 2, 13, 4) },
  { name: 'refreshCase, polled', ...refresh, later: true, input: { cnj: cnj(12), webhook: false }, most: most(22, 4, 4, 13, 4) },
  { name: 'refreshCase, done within seconds, with documents', ...refresh, input: { cnj: cnj(2), webhook: false, documents: true }, most: most(17, 3, 3, 21, 7) },
  { name: 'refreshCase, by webhook, with documents', ...refresh, woken: true, input: { cnj: cnj(3), webhook: '10m', documents: true }, most: most(29, 6, 5, 21, 7) },
  { name: 'refreshCase, by webhook, with documents, as plain JSON', type: 'refreshCase', woken: true, input: { cnj: cnj(4), webhook: '10m', documents: true }, most: most(30, 7, 5, 21, 7) },
  { name: 'refreshCase, by webhook, as plain JSON', type: 'refreshCase', woken: true, input: { cnj: cnj(13), webhook: '10m' }, most: most(24, 6, 4, 13, 4) },
  { name: 'refreshCase, with files', ...refresh, input: { cnj: cnj(5), webhook: false, documents: true, download: true }, most: most(23, 4, 4, 45, 19) },
  { name: 'callOperation', type: 'callOperation', input: { operation: 'getCase', params: { cnj: cnj(6) } }, most: most(13, 4, 2, 12, 3) },
  { name: 'collectPages, 3 pages', type: 'collectPages', input: { operation: 'listMovements', params: { cnj: cnj(7), limit: 2 }, maxPages: 3 }, most: most(33, 8, 5, 29, 8) },
  { name: 'readCase', type: 'readCase', input: { cnj: cnj(8), include: ['cover', 'movements'], maxPages: 1 }, most: most(19, 5, 3, 17, 4) },
  { name: 'summarizeCase', type: 'summarizeCase', input: { cnj: cnj(9), webhook: false }, most: most(18, 4, 3, 27, 9) },
  { name: 'searchBoard', type: 'searchBoard', input: BOARD, most: most(19, 5, 3, 18, 6) },
  { name: 'importLawyerCases', type: 'importLawyerCases', input: { oab: SMALL_LIST, pageSize: 50 }, most: most(32, 8, 5, 27, 13) },
  { name: 'syncNotices', type: 'syncNotices', input: { oabs: ['SP:100001'], since: weekAgo }, most: most(25, 6, 4, 20, 10) },
  { name: 'ensureNoticeMonitor', type: 'ensureNoticeMonitor', input: { oabs: ['RJ:100001'], terms: ['Acme'] }, most: most(26, 7, 4, 19, 8) },
  { name: 'createRadar', type: 'createRadar', input: { reference: 'radar-1', definition: { termo: 'Acme' } }, most: most(19, 5, 3, 15, 6) },
  { name: 'createCaseMonitor', type: 'createCaseMonitor', input: { reference: 'case-1', definition: { numero_cnj: cnj(10), frequencia: 'DIARIA' } }, most: most(13, 4, 2, 11, 4) },
  { name: 'auditMonitors', type: 'auditMonitors', input: {}, most: most(12, 3, 2, 6, 3) },
];

describe('the cost of a flow', () => {
  const statements = countStatements();
  const flows = withFlows({
    sandbox: { refreshMs: 300, queryMs: 300, coverageMs: 0, pollAfterMs: 100 },
    settings: { gaps: { filters: { searchElectoralBoard: FILTERS } } },
  });
  const slow = withFlows({ sandbox: { refreshMs: 300, pollAfterMs: LATER_MS } });
  const worldOf = ({ later }: Pick<Row, 'later'>): Flows => (later === true ? slow : flows);
  const counted = new Map<string, Counted>();

  beforeAll(async () => {
    // The first call of an operation learns its price. Only later flows are counted.
    for (const world of [flows, slow]) {
      await (await world.refresh({ cnj: cnj(0), webhook: false, documents: true })).result();
    }
  });

  // Run one after the other: a call that waits for another call's lock sends more statements.
  it.each(ROWS)('does not grow: $name', async (row) => {
    const { name, most: allowed } = row;
    const counts = await play(row);
    counted.set(name, counts);
    const grown = NAMES.filter((count) => counts[count] > allowed[count]);
    if (grown.length === 0) return;
    const excess = grown.map((count) => `${count}: ${counts[count]}, at most ${allowed[count]}`).join('; ');
    throw new Error(`${excess}\nWhat it asked of the database:\n${counts.story.join('\n')}`);
  });

  it('has four more attempts but no more events after five polls than after one', async () => {
    const fault = { operation: 'getRequest', fault: 'status', status: 503, body: 'gateway', retryAfter: 0, times: 4 };
    await slow.fault(fault);
    const handle = await slow.refresh({ cnj: cnj(11), webhook: false });
    await handle.result();
    const { events, actions } = await countsOf(slow, handle.workflowId);
    const polledOnce = counted.get('refreshCase, polled');
    expect([events, actions]).toEqual([polledOnce?.events, (polledOnce?.actions ?? 0) + 4]);
  });

  async function play(row: Row): Promise<Counted> {
    const { type, input, typed, woken } = row;
    const flows = worldOf(row);
    const handle = typed === true ? await flows.refresh(input as never) : await flows.startPlain(type, input);
    if (woken === true) {
      const isWaiting = async () =>
        (await flows.progress(handle.workflowId)).waitingFor === 'the webhook of the service';
      await until(() => isWaiting(), { what: 'the wait' });
      await until(() => isRefreshed(flows, input), {
        what: 'the service to finish',
      });
      await wakeFlow(flows.client, handle.workflowId);
    }
    await handle.result();
    return countsOf(flows, handle.workflowId);
  }

  async function isRefreshed(flows: Flows, input: object): Promise<boolean> {
    const charge = (await flows.charges()).find(({ subject }) => 'cnj' in input && subject.cnj === input.cnj);
    if (typeof charge?.requestId !== 'string') return false;
    const answer = await fetch(`${flows.sandbox.url}/v1/requests/${charge.requestId}`, {
      headers: { 'x-api-key': 'sandbox-key' },
    });
    await answer.arrayBuffer();
    return answer.status === 200;
  }

  async function countsOf(flows: Flows, workflowId: string): Promise<Counted> {
    const { events } = await flows.client.workflow.getHandle(workflowId).fetchHistory();
    const list = events ?? [];
    const count = (name: keyof (typeof list)[number]): number => list.filter((event) => event[name]).length;
    const local = list.flatMap(({ markerRecordedEventAttributes: marker }) =>
      marker?.markerName === 'core_local_activity' ? [String(marker.workflowTaskCompletedEventId)] : [],
    );
    const attempts = list.map((event) => event.activityTaskStartedEventAttributes?.attempt ?? 0);
    const { statements: sent, roundTrips, story } = statements.of(workflowId);
    return {
      events: list.length,
      actions:
        1 +
        attempts.reduce((sum, attempt) => sum + attempt, 0) +
        new Set(local).size +
        count('timerStartedEventAttributes') +
        count('workflowExecutionSignaledEventAttributes') +
        count('upsertWorkflowSearchAttributesEventAttributes'),
      tasks: count('workflowTaskCompletedEventAttributes'),
      statements: sent,
      roundTrips,
      story,
    };
  }
});
