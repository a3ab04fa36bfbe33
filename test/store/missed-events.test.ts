/** Missed webhooks of a day with many waits: judged in parts, each by a plan whose cost grows with its waits alone. */
import { RawNode, sql, type KyselyPlugin } from 'kysely';
import { createWebhookChecks, type MissedEvents } from '../../src/inbox/missed-events.js';
import type { Database } from '../../src/store/index.js';
import { withDatabase } from '../support/database.js';
import { NOON_MS, setClock } from './support.js';

const DAY_MS = 86_400_000;
const WAITS = 4_000;
const database = withDatabase();

/** Waits of one day, three at each instant. Of each ten, four were announced in time, and one afterwards. */
beforeAll(async () => {
  const settled = sql`${new Date(NOON_MS)}::timestamptz - (1 + n / 3) * interval '1 minute'`;
  await sql`
    insert into tramita.intent (intent_id, account, workflow_id, first_run_id, workflow_type, step, ordinal, operation, subject,
      flags, state, reserved, charged, request_id, webhook_expected, opened_at, settled_at, waiter_keys, locks)
    select md5('wait' || n)::uuid, 'default', 'refresh.' || n, md5('run' || n), 'refreshCase', 'requestRefresh', 1,
      'requestRefresh', md5('wait' || n), '{}', 'done', 0, 1000, md5('request' || n), true, ${settled} - interval '10 minutes',
      ${settled}, '{}', array[n::bigint]
    from generate_series(1, ${WAITS}) as n`.execute(database.db);
  await sql`
    insert into tramita.case_refresh (account, cnj, state, with_documents, intent_id, finished_at)
    select 'default', lpad(n::text, 20, '0'), 'done', false, md5('wait' || n)::uuid, ${settled}
    from generate_series(1, ${WAITS}) as n`.execute(database.db);
  await sql`
    insert into tramita.event (account, event_key, event_id, event, body_sha256, conflict, keys, received_at)
    select 'default', md5('event' || n), md5('event' || n), 'case.refreshed', '', false,
      case when n % 2 = 0 then array['cnj:' || lpad(n::text, 20, '0')] else array['request:' || md5('request' || n)] end,
      ${settled} + case when n % 10 = 4 then interval '1 minute' else interval '-1 minute' end
    from generate_series(1, ${WAITS}) as n where n % 10 < 5`.execute(database.db);
  await sql`
    insert into tramita.event (account, event_key, event_id, event, body_sha256, conflict, keys, received_at)
    select 'default', md5('other' || n), md5('other' || n), 'case.refreshed', '', false, array['cnj:other' || n],
      ${new Date(NOON_MS)}::timestamptz - n * interval '5 seconds'
    from generate_series(1, 15000) as n`.execute(database.db);
  await sql`vacuum (analyze) tramita.intent, tramita.case_refresh, tramita.event`.execute(database.db);
});

const missedOf = (db: Database, mostAtOnce?: number): Promise<MissedEvents> =>
  createWebhookChecks(
    { db, clock: setClock(NOON_MS).now },
    { ...(mostAtOnce === undefined ? {} : { mostAtOnce }) },
  ).findMissedEvents({ sinceMs: NOON_MS - DAY_MS });

test('are counted once, in statements of at most so many waits and those of one instant more', async () => {
  const parts: number[] = [];
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: ({ result }) => {
      const expected = result.rows[0]?.['expected'];
      if (expected !== undefined) parts.push(Number(expected));
      return Promise.resolve(result);
    },
  };
  const missed = await missedOf(database.db.withPlugin(counting), 1_000);
  expect(missed).toMatchObject({ expected: WAITS, missed: 0.6 * WAITS, late: 0.1 * WAITS });
  expect(missed.waits).toHaveLength(500);
  expect(parts.length).toBeGreaterThanOrEqual(4);
  expect(Math.max(...parts)).toBeLessThanOrEqual(1_002);
  expect(await missedOf(database.db, 1_000_000)).toEqual(missed);
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Plan Rows': number;
  readonly 'Subplan Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

const within = (node: PlanNode | undefined): readonly PlanNode[] =>
  node === undefined ? [] : [node, ...(node.Plans ?? []).flatMap(within)];
/** The waits and their refreshes, of a part that has many. */
const isBusy = (node: PlanNode): boolean => node['Subplan Name'] === 'CTE waits' && node['Plan Rows'] > 100;

test('are found by a plan that joins waits and refreshes once, and reads events by their keys', async () => {
  const plans: PlanNode[] = [];
  const explaining: KyselyPlugin = {
    transformQuery: ({ node }) => {
      const {
        sqlFragments: [first = '', ...rest],
        parameters,
      } = node as RawNode;
      return first.includes('waits') || rest.some((text) => text.includes('judged'))
        ? RawNode.create([`explain (format json) ${first}`, ...rest], parameters)
        : node;
    },
    transformResult: ({ result }) => {
      const plan = (result.rows[0] as { 'QUERY PLAN'?: readonly { readonly Plan: PlanNode }[] } | undefined)?.[
        'QUERY PLAN'
      ];
      if (plan?.[0] === undefined) return Promise.resolve(result);
      plans.push(plan[0].Plan);
      return Promise.resolve({ ...result, rows: [] });
    },
  };
  await missedOf(database.db.withPlugin(explaining));
  const judging = plans.map(within).filter((nodes) => nodes.some(isBusy));
  expect(judging.length).toBeGreaterThanOrEqual(2);
  for (const nodes of judging) {
    const joins = within(nodes.find(isBusy)).map((node) => node['Node Type']);
    expect(joins.filter((type) => /^(Hash|Merge) Join$/.test(type))).toHaveLength(1);
    expect(joins).not.toContain('Nested Loop');
    const ofEvents = nodes.filter((node) => node['Relation Name'] === 'event').flatMap(within);
    expect(ofEvents.flatMap((node) => node['Index Name'] ?? [])).toEqual(['event_keys']);
  }
});
