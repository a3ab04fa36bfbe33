/**
 * `tramita events replay`: wakes the flows that stored events are about, once more: after a restore, an outage, or a defect.
 * A wake makes a flow look for itself and can spend nothing. Without `--yes` it only says what would happen.
 */
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { createInbox, type Inbox, type Replay, type ReplayedWake } from '../../inbox/index.js';
import { wakeFlow } from '../../starters/index.js';
import type { CliContext, CommandSetup } from '../context.js';
import { addEventFlags, eventFilter, type EventFlags } from '../event-filter.js';
import { EXIT, usageError } from '../exit-codes.js';
import { formatTable, JSON_OPTION, printJson, printLine } from '../output.js';
import { readConfig } from '../settings.js';
import { ANSWER_WITHIN_MS, withClient } from '../with-client.js';
import { withDatabase } from '../with-database.js';

interface Flags extends EventFlags {
  readonly yes?: boolean;
  readonly json?: boolean;
}

type How = 'woken' | 'gone' | 'later';
const AT_ONCE = 8;

export function addEventsReplay(events: Command, { context, run }: CommandSetup): void {
  const replay = events
    .command('replay')
    .description('wake the flows that wait for stored events, once more; nothing is spent by it')
    .option('--yes', 'do it; without, it is only said what would happen')
    .option(...JSON_OPTION);
  addEventFlags(replay).action(
    run(async (flags: Flags) => {
      const { after, yes = false, json = false } = flags;
      if ([flags.id, flags.event, flags.from, flags.to, after].every((given) => given === undefined)) {
        throw usageError('say which events: --id, --event, --from, --to or --after (--after 0 is all of them)');
      }
      const selection = { filter: eventFilter(flags), ...(after === undefined ? {} : { after }) };
      return withDatabase(readConfig(context), async (db) => {
        const inbox = createInbox({ db, clock: Date.now });
        const found = await inbox.findReplay(selection);
        if (!yes || found.wakes.length === 0) {
          report(context, found, { yes, json });
          return EXIT.ok;
        }
        const counts = await withClient(context, async (client) => {
          // Owed before they are signalled: what is lost from here on, a relay delivers.
          const wakes = await inbox.oweReplay(selection);
          return wakeAll(client, inbox, wakes);
        });
        const { events: count, withoutKeys } = found;
        if (json) printJson(context, { dryRun: false, events: count, withoutKeys, ...counts });
        else {
          printLine(
            context,
            `${count} events: ${counts.woken} flows woken, ${counts.gone} had ended, ${counts.later} not reached (the relay of a bridge or worker wakes them)`,
          );
        }
        return EXIT.ok;
      });
    }),
  );
}

async function wakeAll(
  client: Client,
  inbox: Inbox,
  wakes: readonly ReplayedWake[],
): Promise<Readonly<Record<How, number>>> {
  const counts: Record<How, number> = { woken: 0, gone: 0, later: 0 };
  const left = [...wakes];
  const work = async (): Promise<void> => {
    for (let wake = left.shift(); wake !== undefined; wake = left.shift()) {
      const how = await wakeOne(client, wake);
      counts[how] += 1;
      if (how !== 'later') await inbox.markWoken([wake]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return counts;
}

async function wakeOne(client: Client, { workflowId }: ReplayedWake): Promise<How> {
  try {
    await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, () => wakeFlow(client, workflowId, { reason: 'replay' }));
    return 'woken';
  } catch (error) {
    return (error as Error).name === 'WorkflowNotFoundError' ? 'gone' : 'later';
  }
}

function report(
  context: CliContext,
  { events, withoutKeys, wakes }: Replay,
  { yes, json }: { readonly yes: boolean; readonly json: boolean },
): void {
  if (json) {
    const shown = wakes.map(({ seq, eventId, event, workflowId }) => ({ seq, eventId, event, workflowId }));
    printJson(context, { dryRun: !yes, events, withoutKeys, wakes: shown });
    return;
  }
  if (wakes.length > 0) {
    printLine(
      context,
      formatTable(
        ['CURSOR', 'EVENT', 'FLOW'],
        wakes.map(({ seq, event, workflowId }) => [String(seq), event.replace(/\p{C}/gu, '?'), workflowId]),
      ),
    );
    printLine(context);
  }
  const silent = withoutKeys === 0 ? '' : ` (${withoutKeys} of them name nothing, or their bodies were dropped)`;
  const todo = wakes.length === 0 ? 'no flow waits for them' : `${wakes.length} flows would be woken; add --yes`;
  printLine(context, `${events} events${silent}: ${todo}`);
}
