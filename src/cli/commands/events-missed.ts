/** `tramita events missed`: waits that expected a webhook and were ended by polling. */
import { present, WAKES_KEPT_MS } from '../../contract/index.js';
import type { Command } from 'commander';
import { createInbox, type Inbox, type MissedEvents } from '../../inbox/index.js';
import type { CliContext, CommandSetup } from '../context.js';
import { usageError } from '../exit-codes.js';
import { formatTable, JSON_OPTION, print } from '../output/output.js';
import { noteUnknownAccount } from '../input/account.js';
import { parseSince } from '../input/parse-time.js';
import { BY_OPTION, noteLook } from '../with/note-look.js';
import { readConfig } from '../with/settings.js';
import { withDatabase } from '../with/with-database.js';

const HINT =
  'If many are missed, check: the dashboard of the service names this bridge, and the webhook is active there; the bridge refuses nothing (tramita_bridge_refused_total); its secret is the newest one. See docs/webhooks.md.';

interface Flags {
  readonly since: string;
  readonly account?: string;
  readonly by: string;
  readonly json?: boolean;
}

export function addEventsMissed(events: Command, { context, run }: CommandSetup): void {
  events
    .command('missed')
    .description('list waits that ended without the webhook that was expected')
    .option('--since <time>', 'how long ago (90m, 24h, 7d), a day (São Paulo) or an ISO time; at most 30 days', '24h')
    .option('--account <name>', 'only this account')
    .option(...BY_OPTION)
    .option(...JSON_OPTION)
    .action(
      run(async ({ since, account, by, json }: Flags) => {
        const nowMs = Date.now();
        const sinceMs = parseSince(since, nowMs);
        if (sinceMs < nowMs - WAKES_KEPT_MS) {
          throw usageError(
            `--since: seen "${since}"; expected at most 30 days: how a wait ended is not known for longer`,
          );
        }
        const config = readConfig(context);
        noteUnknownAccount(context, config, account);
        const found = await withDatabase(config, async (db) => {
          const inbox = createInbox({ db, clock: Date.now });
          const missed = await inbox.findMissedEvents({ sinceMs, ...present({ account }) });
          const items = missed.waits.length;
          await noteLook(db, { by, via: 'events missed', items, ...present({ account }) });
          return { ...missed, silent: await silentOf(inbox, missed) };
        });
        report(context, found, json);
      }),
    );
}

/** Accounts whose last webhooks did not come, so that their flows poll without waiting for one. */
async function silentOf(inbox: Pick<Inbox, 'areWebhooksSilent'>, { waits }: MissedEvents): Promise<readonly string[]> {
  const accounts = [...new Set(waits.map(({ account }) => account))].sort();
  const isSilent = await Promise.all(accounts.map((account) => inbox.areWebhooksSilent(account)));
  return accounts.filter((_account, index) => isSilent[index]);
}

function report(
  context: CliContext,
  { expected, missed, late, waits, silent }: MissedEvents & { readonly silent: readonly string[] },
  json: boolean | undefined,
): void {
  const rows = waits.map(({ openedAtMs, settledAtMs, ...wait }) => ({
    ...wait,
    openedAt: new Date(openedAtMs).toISOString(),
    settledAt: new Date(settledAtMs).toISOString(),
  }));
  const table = formatTable(
    ['ENDED', 'ACCOUNT', 'OPERATION', 'WORKFLOW', 'WEBHOOK'],
    rows.map(({ settledAt, account, operation, workflowId, lateMs }) => [
      ...[settledAt, account, operation, workflowId],
      lateMs === null ? 'never arrived' : `arrived ${Math.round(lateMs / 1_000)} s later`,
    ]),
  );
  print(context, json, { expected, missed, late, silent, waits: rows }, [
    ...(rows.length > 0 ? [`${table}\n`] : []),
    ...(rows.length < missed ? [`(the newest ${rows.length} of ${missed})`] : []),
    `${missed} of ${expected} waits ended without their webhook; for ${late} it arrived afterwards`,
    ...silent.map(
      (account) =>
        `account "${account}": its last webhooks did not arrive; its flows poll after the hint of the service until one arrives`,
    ),
    ...(missed > 0 ? [HINT] : []),
  ]);
}
