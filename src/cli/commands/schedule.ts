/**
 * `tramita schedule add|list|pause|resume|remove`: starts flows at fixed times with Temporal Schedules. Runs do not overlap, a
 * missed one is caught up only within minutes (Temporal's default is a year), and hours are those of São Paulo. Each start is
 * jittered, so that many installations do not call the service in the same second.
 */
import { Option, type Command } from 'commander';
import type { Client } from '@temporalio/client';
import { readSchedule, SCHEDULED_TYPES, SCHEDULE_PREFIX, type ScheduleFlags } from '../input/schedule-options.js';
import { shownJson } from '../../contract/values/index.js';
import { textProblem } from '../../protocol/index.js';
import type { CommandSetup } from '../context.js';
import { failure, usageError } from '../exit-codes.js';
import { formatTable, JSON_OPTION, print } from '../output/output.js';
import { readConfig } from '../with/settings.js';
import { refuseForeignStartIfKnown } from '../with/with-database.js';
import { withClient } from '../with/with-client.js';

export function addScheduleCommand(program: Command, { context, run }: CommandSetup): void {
  const schedule = program.command('schedule').description('start flows at fixed times (Temporal Schedules)');
  schedule
    .command('add')
    .description(`schedule a flow: ${SCHEDULED_TYPES.join(', ')}`)
    .argument('<name>', 'name of the schedule')
    .argument('<flow>', 'workflow type')
    .requiredOption('--input <json>', 'the input of every run as one JSON object')
    .option('--cron <expression>', 'minute hour day-of-month month day-of-week, in São Paulo time')
    .option('--every <duration>', 'instead of --cron: 30m, 6h, 1d')
    .option('--jitter <duration>', 'start at a random moment within this', '5m')
    .option('--catch-up <duration>', 'start a missed run only within this', '10m')
    .option('--paused', 'add it paused')
    .option(...JSON_OPTION)
    .action(
      run(async (name: string, flow: string, flags: ScheduleFlags & { readonly json?: boolean }) => {
        const config = readConfig(context);
        const options = readSchedule({ name, flow, flags, taskQueue: config.taskQueue });
        await refuseForeignStartIfKnown(context, config);
        return withClient(context, async (client) => {
          try {
            await client.schedule.create({ ...options, scheduleId: SCHEDULE_PREFIX + name });
          } catch (error) {
            if ((error as Error).name === 'ScheduleAlreadyRunning') {
              throw failure(`there is a schedule "${name}" already; remove it first: tramita schedule remove ${name}`);
            }
            // the server cannot read the spec: a field of --cron is out of bounds, for example
            if (error instanceof TypeError)
              throw usageError(`--cron: Temporal refuses ${shownJson(flags.cron ?? flags.every)}: ${error.message}`);
            throw error;
          }
          const { workflowId } = options.action;
          const text = `schedule ${name}: ${flow} ${flags.cron ?? `every ${flags.every ?? ''}`}, overlap is skipped`;
          print(context, flags.json, { name, flow, workflowId }, text);
        });
      }),
    );
  schedule
    .command('list')
    .description('our schedules, with the next start of each')
    .option(...JSON_OPTION)
    .action(
      run(({ json }: { json?: boolean }) =>
        withClient(context, async (client) => {
          const rows = await readSchedules(client);
          const cells = rows.map(({ name, flow, paused, next, note }) => [
            ...[name, flow, paused ? 'paused' : (next ?? '-'), note ?? ''],
          ]);
          print(context, json, rows, formatTable(['SCHEDULE', 'FLOW', 'NEXT', 'NOTE'], cells));
        }),
      ),
    );
  const verbs = {
    pause: ['pause a schedule: nothing is started until it is resumed', 'paused'],
    resume: ['resume a paused schedule', 'resumed'],
    remove: ['remove a schedule; runs that it started continue', 'removed'],
  } as const;
  for (const [verb, [text, done]] of Object.entries(verbs)) {
    schedule
      .command(verb)
      .description(text)
      .argument('<name>', 'name of the schedule')
      .addOption(new Option('--note <text>', 'why, kept with the schedule').hideHelp(verb === 'remove'))
      .option(...JSON_OPTION)
      .action(
        run((name: string, { note, json }: { note?: string; json?: boolean }) => {
          // Temporal stores a note unencrypted.
          const problem = textProblem('--note', note, false);
          if (problem !== undefined) throw usageError(problem);
          if (verb === 'remove' && note !== undefined) {
            throw usageError('--note: a note is kept with its schedule, and "remove" deletes both; leave it out');
          }
          return withClient(context, async (client) => {
            const handle = client.schedule.getHandle(SCHEDULE_PREFIX + name);
            try {
              if (verb === 'pause') await handle.pause(note ?? `paused by tramita schedule ${verb}`);
              else if (verb === 'resume') await handle.unpause(note ?? `resumed by tramita schedule ${verb}`);
              else await handle.delete();
            } catch (error) {
              if ((error as Error).name === 'ScheduleNotFoundError') {
                throw failure(`there is no schedule "${name}"; "tramita schedule list" shows those that exist`);
              }
              throw error;
            }
            print(context, json, { name, done }, `schedule ${name}: ${done}`);
          });
        }),
      );
  }
}

interface ScheduleRow {
  readonly name: string;
  readonly flow: string;
  readonly paused: boolean;
  readonly next: string | null;
  readonly note: string | null;
}

async function readSchedules(client: Client): Promise<readonly ScheduleRow[]> {
  const rows: ScheduleRow[] = [];
  for await (const { scheduleId, action, state, info } of client.schedule.list()) {
    if (!scheduleId.startsWith(SCHEDULE_PREFIX)) continue;
    rows.push({
      name: scheduleId.slice(SCHEDULE_PREFIX.length),
      flow: action?.workflowType ?? '',
      paused: state.paused,
      next: info.nextActionTimes[0]?.toISOString() ?? null,
      note: state.note ?? null,
    });
  }
  return rows;
}
