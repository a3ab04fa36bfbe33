/** `tramita list`: flows as Temporal's visibility has them; with `--attention` those that need a person. */
import type { Command } from 'commander';
import { SEARCH_ATTRIBUTES } from '../../protocol/index.js';
import type { CommandSetup } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { formatTable, JSON_OPTION, printJson, printLine } from '../output/output.js';
import { withClient } from '../with/with-client.js';

const MOST = 200;

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
    .description(`list flows, newest first (at most ${MOST})`)
    .option('--attention', 'only running flows that need a person')
    .option(...JSON_OPTION)
    .action(
      run(({ attention, json }: { attention?: boolean; json?: boolean }) =>
        withClient(context, async (client) => {
          const query =
            attention === true
              ? `${SEARCH_ATTRIBUTES.attention} IS NOT NULL AND ExecutionStatus = "Running"`
              : `${SEARCH_ATTRIBUTES.flow} IS NOT NULL`;
          const rows: FlowRow[] = [];
          for await (const flow of client.workflow.list({ query, pageSize: MOST })) {
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
            if (rows.length === MOST) break;
          }
          if (json === true) printJson(context, rows);
          else printLine(context, listTable(rows));
          return EXIT.ok;
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
