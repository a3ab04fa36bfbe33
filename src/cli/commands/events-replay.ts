/**
 * `tramita events replay`: wakes again the flows that stored events are about, after a restore, an outage or a defect. A wake
 * makes a flow check for itself and can spend nothing. Without `--yes` the command only reports what would happen.
 */
import { present } from '../../contract/index.js';
import type { Client } from '@temporalio/client';
import { Option, type Command } from 'commander';
import { createSignalWake, deliverWakes, replayPayload, type DeliveredWakes } from '../../bridge/index.js';
import { createInbox, type Inbox, type Replay, type ReplaySelection } from '../../inbox/index.js';
import type { CliContext, CommandSetup } from '../context.js';
import { noteUnknownAccount } from '../input/account.js';
import { addEventFlags, eventFilter, type EventFlags } from '../input/event-filter.js';
import { EXIT, usageError } from '../exit-codes.js';
import { createStatusLine, formatTable, JSON_OPTION, print, printable, type JsonFlag } from '../output/output.js';
import { BY_OPTION, noteLook } from '../with/note-look.js';
import { readConfig } from '../with/settings.js';
import { withClient } from '../with/with-client.js';
import { withDatabase } from '../with/with-database.js';

interface Flags extends EventFlags, JsonFlag {
  readonly yes?: boolean;
  readonly by: string;
}

const NO_WAKES: DeliveredWakes = { woken: 0, gone: 0, refused: 0, later: 0 };

export function addEventsReplay(events: Command, { context, run }: CommandSetup): void {
  const replay = events
    .command('replay')
    .description('wake the flows that wait for stored events again; costs nothing')
    .option('--yes', 'do it; without this flag, only show what would happen')
    .addOption(new Option('--dry-run', 'only show what would happen, as without --yes').conflicts('yes'))
    .option(...BY_OPTION)
    .option(...JSON_OPTION);
  addEventFlags(replay).action(
    run(async (flags: Flags) => {
      const { after, by, yes = false, json = false } = flags;
      if ([flags.id, flags.event, flags.from, flags.to, after].every((given) => given === undefined)) {
        throw usageError('select events with --id, --event, --from, --to or --after (--after 0 selects all)');
      }
      const selection = { filter: eventFilter(flags), ...present({ after }) };
      const config = readConfig(context);
      noteUnknownAccount(context, config, flags.account);
      return withDatabase(config, async (db) => {
        const inbox = createInbox({ db, clock: Date.now });
        const found = await inbox.findReplay(selection);
        if (!yes) {
          await noteLook(db, { by, via: 'events replay', items: found.wakes.length });
          reportPlan(context, found, json);
          return EXIT.ok;
        }
        const counts =
          found.wakes.length === 0
            ? NO_WAKES
            : await withClient(context, (client) => wakeAll(context, client, { inbox, selection }));
        reportDone(context, found, counts, json);
        if (counts.refused === 0) return EXIT.ok;
        context.err(
          `tramita: Temporal refused ${counts.refused} wakes, and nothing sends them again: see why above, try \`tramita doctor\`, then replay the same events\n`,
        );
        return EXIT.failed;
      });
    }),
  );
}

/** Records the wakes as owed before it signals them: a relay delivers those that fail. */
async function wakeAll(
  context: CliContext,
  client: Client,
  { inbox, selection }: { readonly inbox: Inbox; readonly selection: ReplaySelection },
): Promise<DeliveredWakes> {
  const wakes = await inbox.oweReplay(selection);
  const status = createStatusLine(context);
  const counts = await deliverWakes(
    {
      inbox,
      payloadOf: replayPayload,
      signalWake: createSignalWake(client),
      // Failed wakes that a relay repeats are only counted; an error is a wake that nothing repeats.
      log: { warn: () => undefined, error: (fields, text) => context.err(`${text} ${JSON.stringify(fields)}\n`) },
      onProgress: (done) => {
        if (context.isTerminal) status.show(`signalled ${done} of ${wakes.length}`);
      },
    },
    wakes,
  );
  status.clear();
  return counts;
}

function reportPlan(context: CliContext, { events, withoutKeys, wakes }: Replay, json: boolean): void {
  const shown = wakes.map(({ seq, eventId, event, workflowId }) => ({ seq, eventId, event, workflowId }));
  const rows = wakes.map(({ seq, event, workflowId }) => [String(seq), printable(event), workflowId]);
  const todo = wakes.length === 0 ? 'no flow waits for them' : `${wakes.length} flows would be woken; add --yes`;
  print(context, json, { dryRun: true, events, withoutKeys, wakes: shown }, [
    ...(rows.length > 0 ? [`${formatTable(['CURSOR', 'EVENT', 'FLOW'], rows)}\n`] : []),
    `${eventsText(events, withoutKeys)}: ${todo}`,
  ]);
}

function reportDone(
  context: CliContext,
  { events, withoutKeys, wakes }: Replay,
  counts: DeliveredWakes,
  json: boolean,
): void {
  const { woken, gone, refused, later } = counts;
  const parts = [
    wakes.length === 0 ? 'no flow waits for them' : `${woken} flows woken`,
    ...(gone === 0 ? [] : [`${gone} had ended`]),
    ...(refused === 0 ? [] : [`${refused} refused by Temporal`]),
    ...(later === 0 ? [] : [`${later} not reached (the relay of a bridge or worker wakes them)`]),
  ];
  const text = `${eventsText(events, withoutKeys)}: ${parts.join(', ')}`;
  print(context, json, { dryRun: false, events, withoutKeys, ...counts }, text);
}

function eventsText(events: number, withoutKeys: number): string {
  const silent =
    withoutKeys === 0 ? '' : ` (${withoutKeys} of them name no case or request, or their bodies were deleted)`;
  return `${events} events${silent}`;
}
