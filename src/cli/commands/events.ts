/**
 * `tramita events`: stored webhooks. `list` is here: the newest ones for a person, or with `--after` a feed for a backend without
 * a webhook of its own. `replay` and `missed` have their own files.
 */
import type { Command } from 'commander';
import { maskPersonalNumbers } from '../../contract/index.js';
import { createInbox, publicEventId, publicEventName, type InboxEvent } from '../../inbox/index.js';
import type { CommandSetup } from '../context.js';
import { addEventFlags, eventFilter, type EventFlags } from '../input/event-filter.js';
import { countUpTo } from '../input/parse-count.js';
import { noteUnknownAccount } from '../input/account.js';
import { usageError } from '../exit-codes.js';
import { formatTable, JSON_OPTION, print, printable, type JsonFlag } from '../output/output.js';
import { BY_OPTION, noteLook } from '../with/note-look.js';
import { readConfig } from '../with/settings.js';
import { withDatabase } from '../with/with-database.js';
import { addEventsMissed } from './events-missed.js';
import { addEventsReplay } from './events-replay.js';

const DEFAULT_LIMIT = 50;
const MOST = 1_000;

interface Flags extends EventFlags, JsonFlag {
  readonly limit: number;
  readonly bodies?: boolean;
  readonly sealed?: boolean;
  readonly by: string;
}

export function addEventsCommand(program: Command, setup: CommandSetup): void {
  const { context, run } = setup;
  const events = program.command('events').description('inspect the stored webhooks');
  const list = events
    .command('list')
    .description('list stored events, oldest first: the newest ones, or with --after those after a cursor')
    .option('--limit <count>', `maximum number of events, up to ${MOST}`, countUpTo(MOST), DEFAULT_LIMIT)
    .option(
      '--bodies',
      'with --json: also the bodies; they contain personal data, and the access log records who asked',
    )
    .option('--sealed', 'with --bodies: also those of cases under secrecy of justice')
    .option(...BY_OPTION)
    .option(...JSON_OPTION);
  addEventFlags(list).action(
    run(async (flags: Flags) => {
      const { after, limit, by, bodies = false, sealed = false, json = false } = flags;
      if (bodies && !json) throw usageError('--bodies goes with --json');
      if (sealed && !bodies) throw usageError('--sealed goes with --bodies');
      const filter = eventFilter(flags);
      const config = readConfig(context);
      noteUnknownAccount(context, config, flags.account);
      const page = await withDatabase(config, async (db) => {
        const feed = await createInbox({ db, clock: Date.now }).readFeed({
          limit,
          filter,
          bodies: bodies && !sealed ? 'unsealed' : bodies,
          ...(after === undefined ? { newest: true } : { after }),
        });
        const via = `events list --bodies${sealed ? ' --sealed' : ''}`;
        // With `--bodies` ids and names are complete, even if a body is left out.
        if (bodies) await noteLook(db, { by, via, items: feed.events.length });
        return feed;
      });
      const { events: found, cursor, more } = page;
      const shown = found.map((event) => publicEvent(event, bodies));
      print(context, json, { events: shown, cursor, more }, [
        found.length === 0 ? 'no event matches' : eventTable(found),
        `\n${more ? 'there are more: ' : 'continue later with '}--after ${cursor}`,
      ]);
    }),
  );
  addEventsReplay(events, setup);
  addEventsMissed(events, setup);
}

/** Leaves out the event keys and, without `bodies`, masks ids and names of the sender: all of them may name a person. */
function publicEvent(event: InboxEvent, bodies: boolean): Readonly<Record<string, unknown>> {
  const { seq, account, conflict, sealed, bodySha256, bodyDropped, createdAt } = event;
  const { event: name, eventId } = bodies ? event : publicNames(event);
  return {
    seq,
    account,
    eventId,
    event: name,
    conflict,
    sealed,
    bodySha256,
    bodyDropped,
    createdAt,
    receivedAt: new Date(event.receivedAtMs).toISOString(),
    // Bytes that are no UTF-8 become replacement characters here; the hash is that of the bytes.
    ...(bodies ? { body: event.body?.toString('utf8') ?? null } : {}),
  };
}

/** The id is one that `events replay --id` takes, unless it may hold a personal number. */
function publicNames({ event, eventId }: InboxEvent): Pick<InboxEvent, 'event' | 'eventId'> {
  const isPlain = maskPersonalNumbers(eventId) === eventId;
  return { event: publicEventName(event), eventId: isPlain ? eventId : publicEventId(eventId) };
}

function eventTable(events: readonly InboxEvent[]): string {
  return formatTable(
    ['CURSOR', 'RECEIVED', 'ACCOUNT', 'EVENT', 'ID', ''],
    events.map((stored) => {
      const { seq, account, receivedAtMs, conflict } = stored;
      const { event, eventId } = publicNames(stored);
      const received = new Date(receivedAtMs).toISOString();
      return [String(seq), received, account, event, printable(eventId), conflict ? 'conflict' : ''];
    }),
  );
}
