/** `tramita list`: flows from Temporal's visibility, and what they cost if the ledger can be read. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { Option, type Command } from 'commander';
import { formatAmount, withoutPrefix } from '../../contract/index.js';
import { createNaming, type Config } from '../../config/index.js';
import { spentByRun, type RunSpent } from '../../ledger/index.js';
import { SEARCH_ATTRIBUTES, type Naming, type Spent } from '../../protocol/index.js';
import { attentionOf, attributeOf } from '../../temporal-client/index.js';
import type { CliContext, CommandSetup } from '../context.js';
import { noteUnknownAccount } from '../input/account.js';
import { FLOW_STATUSES, visibilityQuery, type ListFlags } from '../input/list-filter.js';
import { parseCount } from '../input/parse-count.js';
import { spentText } from '../output/flow-failure.js';
import { formatTable, JSON_OPTION, print, type JsonFlag } from '../output/output.js';
import { BY_OPTION, noteLookAtFlows } from '../with/note-look.js';
import { readConfig, requireIdKey } from '../with/settings.js';
import { withClient } from '../with/with-client.js';
import { withDatabase } from '../with/with-database.js';

const DEFAULT_LIMIT = 200;
/** The server gives no larger page. */
const LARGEST_PAGE = 1_000;

interface Flags extends ListFlags, JsonFlag {
  readonly limit: number;
  readonly by: string;
}

type FlowRow = ReturnType<typeof rowOf>;

/** `spent` is null if no database is configured, or it cannot be reached. */
type CostedRow = FlowRow & { readonly spent: Spent | null };

export function addListCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('list')
    .description('list flows, newest first, and what they cost')
    .option('--attention', 'only running flows with an attention: all but unexpected-charge need a person')
    .option('--flow <flow>', 'only this workflow type')
    .option('--case <number>', 'only this case: its number, or its token if the account masks cases')
    .option('--account <name>', 'only this account')
    .addOption(new Option('--status <status>', 'only this status').choices(Object.keys(FLOW_STATUSES)))
    .option('--older-than <duration>', 'started longer ago than this, e.g. 2h or 7d')
    .option('--newer-than <duration>', 'started within that')
    .option('--limit <count>', 'maximum number of flows', parseCount, DEFAULT_LIMIT)
    .option(...BY_OPTION)
    .option(...JSON_OPTION)
    .action(
      run(({ limit, by, json, ...filter }: Flags) => {
        const config = readConfig(context);
        noteUnknownAccount(context, config, filter.account);
        const accounts = Object.keys(config.accounts);
        const query = visibilityQuery(filter, { accounts, naming: namingOf(config), nowMs: Date.now() });
        return withClient(context, async (client) => {
          const found: FlowRow[] = [];
          let more = false;
          for await (const flow of client.workflow.list({ query, pageSize: Math.min(limit + 1, LARGEST_PAGE) })) {
            more = found.length === limit;
            if (more) break;
            found.push(rowOf(flow));
          }
          const costs = await readCosts(context, config, [...new Set(found.map(({ workflowId }) => workflowId))]);
          const rows: CostedRow[] = [];
          for (const row of found) rows.push({ ...row, spent: costs && (await spentOf(client, costs, row)) });
          const { account } = filter;
          await noteLookAtFlows(context, config, { by, via: 'list', items: rows.length, account });
          print(context, json, rows, listTable(rows));
          if (more) context.err(`tramita: there are more flows than the newest ${limit}; raise --limit\n`);
        });
      }),
    );
}

function rowOf(flow: WorkflowExecutionInfo) {
  return {
    workflowId: flow.workflowId,
    runId: flow.runId,
    type: flow.type,
    status: flow.status.name,
    account: attributeOf(flow, SEARCH_ATTRIBUTES.account),
    case: attributeOf(flow, SEARCH_ATTRIBUTES.case),
    // A flow that has ended no longer needs a person.
    attention: flow.status.name === 'RUNNING' ? attentionOf(flow) : null,
    startedAt: flow.startTime.toISOString(),
    closedAt: flow.closeTime?.toISOString() ?? null,
  };
}

/** If no account masks its cases, no id key is needed. */
function namingOf(config: Config): Naming {
  const masks = Object.values(config.accounts).some(({ maskCnj }) => maskCnj);
  if (!masks) return { token: () => '' };
  requireIdKey(config);
  return createNaming(config);
}

/** Null if the costs cannot be read: a list without them is useful, too. */
async function readCosts(
  { err }: Pick<CliContext, 'err'>,
  config: Config,
  workflowIds: readonly string[],
): Promise<readonly RunSpent[] | null> {
  if (config.databaseUrl === undefined || workflowIds.length === 0) return null;
  try {
    return await withDatabase(config, async (db) => {
      const costs: RunSpent[] = [];
      for (let from = 0; from < workflowIds.length; from += LARGEST_PAGE) {
        costs.push(...(await spentByRun(db, workflowIds.slice(from, from + LARGEST_PAGE))));
      }
      return costs;
    });
  } catch (error) {
    err(`tramita: costs are not shown: ${withoutPrefix((error as Error).message)}\n`);
    return null;
  }
}

/**
 * What the whole chain of runs has spent, across continue-as-new. Visibility does not give the first run of a chain, so a run
 * without rows of its own is described; if that fails, all runs under the workflow id count.
 */
async function spentOf(client: Client, costs: readonly RunSpent[], { workflowId, runId }: FlowRow): Promise<Spent> {
  const underId = costs.filter((cost) => cost.workflowId === workflowId);
  const isFirst = underId.length === 0 || underId.some(({ firstRunId }) => firstRunId === runId);
  const firstRunId = isFirst ? runId : await firstRunOf(client, workflowId, runId);
  const own = underId.filter((cost) => ['', cost.firstRunId].includes(firstRunId));
  return {
    known: formatAmount(own.reduce((sum, { known }) => sum + known, 0)),
    unknown: own.reduce((count, { unknown }) => count + unknown, 0),
  };
}

/** Empty if the run cannot be described. */
async function firstRunOf(client: Client, workflowId: string, runId: string): Promise<string> {
  const described = await client.workflow
    .getHandle(workflowId, runId)
    .describe()
    .catch(() => undefined);
  return described?.raw.workflowExecutionInfo?.firstRunId ?? '';
}

function listTable(rows: readonly CostedRow[]): string {
  return formatTable(
    ['WORKFLOW', 'STATUS', 'ATTENTION', 'SPENT', 'STARTED'],
    rows.map(({ workflowId, status, attention, spent, startedAt }) => {
      const cost = spent === null ? '' : spentText(spent);
      return [workflowId, status, attention ?? '', cost, startedAt];
    }),
  );
}
