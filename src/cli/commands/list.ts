/** `tramita list`: flows as Temporal's visibility has them; with `--attention` those that need a person. */
import type { Command } from 'commander';
import { SEARCH_ATTRIBUTES } from '../../protocol/index.js';
import type { CommandSetup } from '../context.js';
import { parseCount } from '../input/parse-count.js';
import { formatTable, JSON_OPTION, print } from '../output/output.js';
import { withClient } from '../with/with-client.js';

const DEFAULT_LIMIT = 200;
/** The server gives no larger page. */
const LARGEST_PAGE = 1_000;

interface FlowRow {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  readonly status: string;
  readonly account: string | null;
  readonly case: string | null;
  readonly attention: string | null;
  readonly startedAt: string;
  readonly closedAt: string | null;
}

export function addListCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('list')
    .description('list flows, newest first')
    .option('--attention', 'only running flows that need a person')
    .option('--limit <count>', 'at most so many', parseCount, DEFAULT_LIMIT)
    .option(...JSON_OPTION)
    .action(
      run(({ attention, limit, json }: { attention?: boolean; limit: number; json?: boolean }) =>
        withClient(context, async (client) => {
          const query =
            attention === true
              ? `${SEARCH_ATTRIBUTES.attention} IS NOT NULL AND ExecutionStatus = "Running"`
              : `${SEARCH_ATTRIBUTES.flow} IS NOT NULL`;
          const rows: FlowRow[] = [];
          let more = false;
          for await (const flow of client.workflow.list({ query, pageSize: Math.min(limit + 1, LARGEST_PAGE) })) {
            more = rows.length === limit;
            if (more) break;
            const attribute = (name: string): string | null =>
              textOf(flow.typedSearchAttributes.getAll().find(({ key }) => key.name === name)?.value);
            rows.push({
              workflowId: flow.workflowId,
              runId: flow.runId,
              type: flow.type,
              status: flow.status.name,
              account: attribute(SEARCH_ATTRIBUTES.account),
              case: attribute(SEARCH_ATTRIBUTES.case),
              attention: attribute(SEARCH_ATTRIBUTES.attention),
              startedAt: flow.startTime.toISOString(),
              closedAt: flow.closeTime?.toISOString() ?? null,
            });
          }
          print(context, json, rows, listTable(rows));
          if (more) context.err(`tramita: there are more flows than the newest ${limit}; raise --limit\n`);
        }),
      ),
    );
}

function listTable(rows: readonly FlowRow[]): string {
  return formatTable(
    ['WORKFLOW', 'STATUS', 'ATTENTION', 'STARTED'],
    rows.map((row) => [row.workflowId, row.status, row.attention ?? '', row.startedAt]),
  );
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
