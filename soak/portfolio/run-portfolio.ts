/**
 * A portfolio of thousands of stored cases under a cap, from the command that loads the list to the audit of the books: the
 * worker is killed and restarted, people ask for cases of their own in the meantime, and the same portfolio is started again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { auditFlows } from '../books.js';
import { createRandom } from '../random.js';
import type { Report } from '../report.js';
import type { World } from '../world.js';
import { judge } from './judge.js';
import { killAt, planKills, untilCharged } from './kills.js';
import { longestLife, watchMemory } from './memory.js';
import { askFor, watchRefreshes, type Asked } from './people.js';
import { caseAt, loadList, PRICE, readRound, startRound } from './rounds.js';
import { compareLatency, readPriorities, readRuns } from './runs.js';
import type { PortfolioOptions, Round } from './types.js';

/** Time limit of one start of the portfolio; with two cores some eight cases end per second. */
const ENDS_WITHIN_MS = 5 * 60_000;
const AND_PER_CASE_MS = 150;
/** People ask when this share of the sweep is done, after the last kill. */
const ASKED_AT = 0.6;
const MOST_PEOPLE = 5;
/** One person per this many refreshes. */
const REFRESHES_PER_PERSON = 20;
/** How much more the third start's cap allows. */
const MORE = 5;

export async function runPortfolio(
  world: World,
  options: PortfolioOptions,
  say: (text: string) => void,
): Promise<Report> {
  const { cases: count, refreshed, kills, seed, quietKills = false, concurrency } = options;
  if (refreshed < 1 || count < refreshed + MORE) {
    throw new Error(`tramita: a portfolio of ${count} cases has no ${refreshed} to refresh and ${MORE} more`);
  }
  const people = Math.min(MOST_PEOPLE, Math.ceil(refreshed / REFRESHES_PER_PERSON));
  const startedMs = Date.now();
  const cases = Array.from({ length: count }, (_none, place) => caseAt(place));
  const loaded = await loadList(world, cases);
  say(`portfolio: ${loaded} cases loaded, the cap pays for ${refreshed}`);
  const bytesBefore = await databaseBytes(world);
  const memory = watchMemory(world.env);
  let worker = await memory.start();
  const refreshes = watchRefreshes(world);
  const goThrough = async (cap: number, meanwhile?: (ended: AbortSignal) => Promise<void>): Promise<Round> => {
    const ended = new AbortController();
    const handle = await startRound(world, { cap, concurrency });
    const ending = inTime(handle.result(), cap).finally(() => ended.abort());
    const beside = meanwhile?.(ended.signal);
    // Waits for both even if one fails: no worker may be left behind.
    await Promise.allSettled([ending, beside]);
    const [result] = await Promise.all([ending, beside]);
    say(`portfolio: ${result.done} done, ${result.parked} parked, ${result.remaining} remaining`);
    return readRound(world, { cap, result, cases });
  };
  try {
    let killed = 0;
    let asked: readonly Asked[] = [];
    const first = await goThrough(refreshed, async (ended) => {
      const moments = planKills(refreshed, kills, createRandom(seed));
      const replace = async (): Promise<void> => {
        await worker.kill();
        worker = await memory.start();
      };
      killed = await killAt(world, moments, { replace, over: ended, quiet: quietKills, say });
      await untilCharged(world, refreshed * ASKED_AT, ended);
      asked = await askFor(
        world,
        Array.from({ length: people }, (_none, place) => caseAt(count + place)),
      );
    });
    const second = await goThrough(refreshed);
    const third = await goThrough(refreshed + MORE);
    await refreshes.person.stop();
    const runs = await readRuns(world);
    const flows = [...new Set(runs.map(({ workflowId }) => workflowId))].map((id) => refreshes.find(id));
    const { findings } = await auditFlows(world, flows);
    const running = runs.filter(({ status }) => status === 'RUNNING');
    return judge({
      cases,
      loaded,
      refreshed,
      first,
      second,
      third,
      price: PRICE,
      kills: { wanted: kills, done: killed },
      audit: [
        ...findings.map(({ kind, text }) => `${kind}: ${text}`),
        ...running.map(({ workflowId }) => `not ended: ${workflowId}`),
      ],
      decidedByPerson: flows.reduce((sum, { decisions }) => sum + decisions.length, 0),
      bytesPerCase: ((await databaseBytes(world)) - bytesBefore) / third.charges.size,
      memory: longestLife(memory.stop()),
      latency: compareLatency(runs, asked),
      priorities: await readPriorities(world, runs, asked),
      seconds: Math.round((Date.now() - startedMs) / 1_000),
    });
  } finally {
    memory.stop();
    await worker.kill();
    await refreshes.person.stop();
  }
}

async function databaseBytes({ db }: World): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database())::float8 as bytes`.execute(
    db,
  );
  return rows[0]?.bytes ?? 0;
}

function inTime<T>(ending: Promise<T>, cases: number): Promise<T> {
  const withinMs = ENDS_WITHIN_MS + cases * AND_PER_CASE_MS;
  const late = sleep(withinMs, undefined, { ref: false }).then(() => {
    throw new Error(`tramita: the portfolio has not ended within ${Math.round(withinMs / 60_000)} minutes`);
  });
  return Promise.race([ending, late]);
}
