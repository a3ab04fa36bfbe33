/** `tramita ledger`: `list` is here; `check`, `export`, `match` and `reconcile` have their own files. */
import { formatAmount, present } from '../../contract/index.js';
import type { Command } from 'commander';
import { chargedOf, toLedgerRow, type Intent, type IntentState } from '../../ledger/index.js';
import type { CommandSetup } from '../context.js';
import { usageError } from '../exit-codes.js';
import { noteUnknownAccount } from '../input/account.js';
import { parseCount } from '../input/parse-count.js';
import { publicRow } from '../output/ledger-columns.js';
import { formatTable, JSON_OPTION, print, type JsonFlag } from '../output/output.js';
import { BY_OPTION, noteLook } from '../with/note-look.js';
import { readConfig } from '../with/settings.js';
import { withDatabase } from '../with/with-database.js';
import { openLedger } from '../with/with-ledger.js';
import { addLedgerCheck } from './ledger-check.js';
import { addLedgerExport } from './ledger-export.js';
import { addLedgerMatch } from './ledger-match.js';
import { addLedgerReconcile } from './ledger-reconcile.js';

const STATES: readonly IntentState[] = [
  ...(['open', 'pending', 'done', 'rejected', 'not_sent', 'charged_lost', 'unknown', 'closed'] as const),
];

const DEFAULT_LIMIT = 1_000;

interface LedgerFlags extends JsonFlag {
  readonly account?: string;
  readonly workflow?: string;
  readonly state?: string;
  readonly limit: number;
  readonly by: string;
}

export function addLedgerCommand(program: Command, setup: CommandSetup): void {
  const { context, run } = setup;
  const ledger = program.command('ledger').description('inspect the charge ledger');
  ledger
    .command('list')
    .description('list charged calls, newest first')
    .option('--account <name>', 'only this account')
    .option('--workflow <id>', 'only this workflow id')
    .option('--state <state>', `only this state: ${STATES.join(', ')}`)
    .option('--limit <count>', 'maximum number of rows', parseCount, DEFAULT_LIMIT)
    .option(...BY_OPTION)
    .option(...JSON_OPTION)
    .action(
      run(async ({ account, workflow, state, limit, by, json }: LedgerFlags) => {
        const known = STATES.find((name) => name === state);
        if (state !== undefined && known === undefined) {
          throw usageError(`--state: seen "${state}"; expected one of ${STATES.join(', ')}`);
        }
        const config = readConfig(context);
        noteUnknownAccount(context, config, account);
        const intents = await withDatabase(config, async (db) => {
          const filter = present({ account, workflowId: workflow, state: known, limit: limit + 1 });
          const found = await openLedger(db, config).list(filter);
          const items = Math.min(found.length, limit);
          await noteLook(db, { by, via: 'ledger list', items, account });
          return found;
        });
        const shown = intents.slice(0, limit);
        const rows = shown.map((intent) => publicRow(toLedgerRow(intent)));
        print(context, json, rows, ledgerTable(shown));
        if (intents.length > limit) {
          context.err(
            `tramita: there are more rows than the newest ${limit}; raise --limit, or use "tramita ledger export"\n`,
          );
        }
      }),
    );
  addLedgerCheck(ledger, setup);
  addLedgerExport(ledger, setup);
  addLedgerMatch(ledger, setup);
  addLedgerReconcile(ledger, setup);
}

/** `?` is a charge that is not known. Pure. */
function ledgerTable(intents: readonly Intent[]): string {
  return formatTable(
    ['OPENED', 'STATE', 'OPERATION', 'CHARGED', 'RESERVED', 'STEP', 'WORKFLOW'],
    intents.map((intent) => {
      const { openedAt, state, operation, reserved, step, workflowId } = toLedgerRow(intent);
      const charged = chargedOf(intent);
      const cost = charged === null ? '?' : formatAmount(charged);
      return [openedAt ?? '', state, operation, cost, reserved ?? '', step, workflowId];
    }),
  );
}
