/**
 * `tramita portfolio plan`: which cases of a stored list to refresh each night, within a budget. With `--store` each night
 * becomes a stored list and a Temporal Schedule that starts its `refreshPortfolio` once.
 */
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { formatDuration } from '../../contract/values/index.js';
import { DEFAULT_ACCOUNT } from '../../protocol/index.js';
import type { PortfolioNights, PortfolioNightsInput } from '../../planning/index.js';
import { createPortfolios } from '../../records/index.js';
import { endTurn, takeTurn, type Database } from '../../store/index.js';
import type { CommandSetup } from '../context.js';
import { failure, usageError } from '../exit-codes.js';
import { nightListOf, nightSchedule, nightsPrefix } from '../input/night-schedule.js';
import { SCHEDULE_PREFIX } from '../input/schedule-options.js';
import { formatTable, JSON_OPTION, print } from '../output/output.js';
import { refuseForeignStart } from '../with/namespace-of-flows.js';
import { noteLook } from '../with/note-look.js';
import { readConfig } from '../with/settings.js';
import { checkStarterConfig, withDatabase } from '../with/with-database.js';
import { withClient } from '../with/with-client.js';

interface Flags extends PortfolioNightsInput {
  readonly account: string;
  readonly store?: boolean;
  readonly json?: boolean;
}

export function addPortfolioCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('portfolio')
    .description('plan the refreshes of stored lists')
    .command('plan')
    .description('propose what to refresh each night, oldest and most active cases first; sends nothing')
    .requiredOption('--list <name>', 'a stored list (tramita lists load)')
    .requiredOption('--budget <amount>', 'for all nights together, like 500.00')
    .requiredOption('--by <day>', 'the last night, yyyy-MM-dd')
    .option('--account <name>', 'account that the list belongs to', DEFAULT_ACCOUNT)
    .option('--documents', 'also list the public documents of each case (one page, charged)')
    .option('--store', 'schedule the nights, replacing those stored for this list before')
    .option(...JSON_OPTION)
    .action(
      run(async ({ store, json, ...input }: Flags) => {
        const { planPortfolio, readNightsInput } = await import('../../planning/index.js');
        const config = readConfig(context);
        orUsageError(() => readNightsInput(input, { ...config, nowMs: Date.now() }));
        await checkStarterConfig(config);
        await withDatabase(config, async (db) => {
          if (store === true) await refuseForeignStart(context, db);
          const plan = await planPortfolio({ db, config }, input).catch(asUsage);
          const stored =
            store === true
              ? await withClient(context, (client) => storeAlone({ client, db, ...config }, input, plan))
              : [];
          if (json === true) {
            const items = plan.nights.reduce((sum, { cases }) => sum + cases.length, 0);
            await noteLook(db, { via: 'portfolio plan --json', account: plan.account, items });
          }
          print(context, json, { ...plan, stored }, textOf(plan, stored));
        });
      }),
    );
}

function orUsageError(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    asUsage(error);
  }
}

/** An invalid account, budget or day (`RangeError`) is a usage error; missing data or configuration is not. */
function asUsage(error: unknown): never {
  const { name, message } = error as Error;
  throw name === 'RangeError' ? usageError(message) : error;
}

interface StoreDeps {
  readonly client: Client;
  readonly db: Database;
  readonly taskQueue: string;
}

/** Longer than it takes to store a year of nights. */
const STORE_WITHIN_MS = 5 * 60_000;

/** Two people who store at once would mix the nights of two plans. */
async function storeAlone(deps: StoreDeps, flags: Flags, plan: PortfolioNights): Promise<readonly string[]> {
  const turn = `nights ${JSON.stringify([plan.account, plan.list])}`;
  if (!(await takeTurn(deps.db, turn, STORE_WITHIN_MS))) {
    throw failure(
      `nothing was stored: another command is storing the nights of "${plan.list}"; try again when it has ended (if it was killed, in ${formatDuration(STORE_WITHIN_MS)})`,
    );
  }
  try {
    return await storeNights(deps, flags, plan);
  } finally {
    await endTurn(deps.db, turn);
  }
}

/** The end of a night's schedule id. It is checked because the name of another list may begin with this one's and a dot. */
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Deletes the nights of an earlier plan first: two plans for one list would pay twice. */
async function storeNights(
  { client, db, taskQueue }: StoreDeps,
  { documents = false }: Flags,
  plan: PortfolioNights,
): Promise<readonly string[]> {
  const { account, list, nights } = plan;
  const planned = nights.map((night) => ({ night, schedule: nightSchedule({ ...plan, night, documents, taskQueue }) }));
  const portfolios = createPortfolios({ db });
  const prefix = SCHEDULE_PREFIX + nightsPrefix(account, list);
  const earlier: string[] = [];
  for await (const { scheduleId } of client.schedule.list()) {
    const isNight = scheduleId.startsWith(prefix) && DAY.test(scheduleId.slice(prefix.length));
    if (isNight) earlier.push(scheduleId);
  }
  for (const scheduleId of earlier) await client.schedule.getHandle(scheduleId).delete();
  const stored: string[] = [];
  for (const { night, schedule } of planned) {
    await portfolios.saveList({ account, name: nightListOf(list, night.night), cases: night.cases });
    await client.schedule.create({ ...schedule.options, scheduleId: SCHEDULE_PREFIX + schedule.name });
    stored.push(schedule.name);
  }
  return stored;
}

function textOf({ nights, price, cost, left }: PortfolioNights, stored: readonly string[]): readonly string[] {
  const rows = nights.map((night) => [night.night, String(night.cases.length), night.cost]);
  return [
    formatTable(['NIGHT', 'CASES', 'COST AT MOST'], rows),
    '',
    `${price} a case; at most ${cost} in ${nights.length} nights${left === 0 ? '' : `; ${left} cases do not fit`}`,
    ...(stored.length === 0 ? [] : [`${stored.length} schedules are stored: tramita schedule list`]),
  ];
}
