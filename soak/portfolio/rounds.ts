/** The stored list, a start of the portfolio, and what can be read afterwards: its result, its items, the charges of its cases. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { formatAmount } from '../../src/contract/index.js';
import type { RefreshPortfolioResult } from '../../src/protocol/index.js';
import { startRefreshPortfolio, type FlowHandle } from '../../src/starters/index.js';
import type { World } from '../world.js';
import { runCommand } from '../command.js';
import { caseNumberOf } from '../identifiers.js';
import { readRunning } from './runs.js';
import type { ItemCount, Round } from './types.js';

/** The sandbox's price of a refresh, in 1/10,000. */
export const PRICE = 1_000;
const LIST = 'soak';
/** Outside the numbers of the soak's planned calls. */
const FIRST_CASE = 3_000_000;
const ONCE = 'soak';
const ALL_ENDED_WITHIN_MS = 150_000;
const LOOK_EVERY_MS = 500;

export function caseAt(place: number): string {
  return caseNumberOf(FIRST_CASE + place);
}

/** Runs `tramita lists load`; returns how many cases it reports as stored. */
export async function loadList({ env }: World, cases: readonly string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'tramita-portfolio-'));
  try {
    const file = join(folder, 'cases.csv');
    await writeFile(file, `${cases.join('\n')}\n`);
    const loaded = await runCommand<{ readonly cases: number }>(env, ['lists', 'load', file, '--name', LIST]);
    return loaded.cases;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** All starts have the same `once` key: each continues the same round. */
export function startRound(
  { client, taskQueue, token }: World,
  { cap, concurrency }: { readonly cap: number; readonly concurrency: number },
): Promise<FlowHandle<RefreshPortfolioResult>> {
  return startRefreshPortfolio(
    { client, taskQueue, token },
    { name: LIST, concurrency, once: ONCE, webhook: false, maxSpend: formatAmount(cap * PRICE) },
  );
}

/** Waits for the refreshes that are still running: the portfolio does not wait for those that parked. */
export async function readRound(
  world: World,
  { cap, result, cases }: Pick<Round, 'cap' | 'result'> & { readonly cases: readonly string[] },
): Promise<Round> {
  await untilAllEnded(world);
  const listed = new Set(cases);
  const charges = new Map<string, number>();
  for (const { subject } of await world.service.charges()) {
    if (listed.has(subject.cnj)) charges.set(subject.cnj, (charges.get(subject.cnj) ?? 0) + 1);
  }
  return {
    cap,
    result,
    charges,
    items: await countItems(world),
    done: await casesIn(world, 'done'),
    waiting: await casesIn(world, 'waiting'),
  };
}

async function untilAllEnded(world: World): Promise<void> {
  const untilMs = Date.now() + ALL_ENDED_WITHIN_MS;
  // The audit of the books finds refreshes that have not ended by then.
  while ((await readRunning(world)).length > 0 && Date.now() < untilMs) await sleep(LOOK_EVERY_MS);
}

async function countItems({ db }: World): Promise<readonly ItemCount[]> {
  const { rows } = await sql<ItemCount>`
    select state, reason, count(*)::int as cases from tramita.portfolio_item group by state, reason order by 3 desc`.execute(
    db,
  );
  return rows;
}

async function casesIn({ db }: World, state: string): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly cnj: string }>`
    select cnj from tramita.portfolio_item where state = ${state}`.execute(db);
  return rows.map(({ cnj }) => cnj);
}
