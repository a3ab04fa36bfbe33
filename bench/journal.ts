/**
 * `npm run bench:journal`: what a charged call costs beyond the service's own time, one and eight at once, compared with
 * the same durable steps by hand (`by-hand.ts`), in time and in CPU of the process, and with the bare request. Also what
 * the worker's journal and the check for a restored database add: whole charged calls with and without the line on the
 * disk, and the look-up with and without the columns of that check. All of it alternating. The service is another process,
 * which answers at once with the record of a case.
 */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createActivities, type ActivityDeps } from '../src/activities/index.js';
import { MockActivityEnvironment } from '@temporalio/testing';
import { resolveConfig } from '../src/config/index.js';
import { formatCnj } from '../src/contract/index.js';
import { createInbox } from '../src/inbox/index.js';
import { selectLife } from '../src/ledger/life/read-life.js';
import type { ChargedCallInput, ChargedCallResult } from '../src/protocol/index.js';
import { connect, migrate } from '../src/store/index.js';
import { buildActivityDeps } from '../src/workers/build-deps.js';
import { inLanes } from '../soak/calls/drive.js';
import { buildCover } from '../sandbox/cases/cover.js';
import type { CaseTraits } from '../sandbox/cases/personas.js';
import { caseNumberOf } from '../soak/identifiers.js';
import { percentile, percentilesOf } from '../soak/numbers.js';
import { postgresUp, soakFolder } from '../soak/servers.js';
import { openByHand } from './by-hand.js';
import { nextMessage, runBench, timed, type BenchResult } from './run-bench.js';

const WARM = 200;
const CALLS = 1_500;
const AT_ONCE = 8;
/** The calls at once are split over this many turns. */
const TURNS = 5;

async function measure(): Promise<BenchResult> {
  const folder = soakFolder();
  const postgres = await postgresUp(folder);
  const service = fork(__filename, ['service']);
  const port = (await nextMessage(service)) as number;
  await migrate(postgres.url);
  const db = connect({ url: postgres.url, applicationName: 'tramita bench' });
  const deps = buildDeps();
  const bare: ActivityDeps = { ...deps, journal: { ...deps.journal, append: () => Promise.resolve() } };
  const byHand = await openByHand({ databaseUrl: postgres.url, folder, port });
  try {
    const calls = {
      journal: callsOf(deps),
      bare: callsOf(bare),
      byHand: (n: number) => byHand.call(caseOf(n)),
      request: (n: number) => byHand.ask(caseOf(n)),
    };
    const sides = ['journal', 'bare', 'byHand'] as const;
    let n = 0;
    for (; n < WARM; n += 1) for (const side of sides) await calls[side](n * sides.length + sides.indexOf(side));
    n *= sides.length;
    const take = async (side: keyof typeof calls, times: number[]): Promise<void> => {
      times.push((await timed(() => calls[side]((n += 1)))).seconds * 1_000);
    };
    const one: Record<(typeof sides)[number], number[]> = { journal: [], bare: [], byHand: [] };
    for (let turn = 0; turn < CALLS; turn += 1) {
      for (let place = 0; place < sides.length; place += 1) {
        const side = sides[(turn + place) % sides.length] ?? 'journal';
        await take(side, one[side]);
      }
    }
    const eight: Record<'journal' | 'byHand' | 'request', number[]> = { journal: [], byHand: [], request: [] };
    /** CPU of this process only, per call. */
    const cpuMs = { journal: 0, byHand: 0, request: 0 };
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const side of ['journal', 'byHand', 'request'] as const) {
        const before = process.cpuUsage();
        const turnOf = Array.from({ length: CALLS / TURNS }, (_none, call) => call);
        await inLanes(turnOf, AT_ONCE, () => take(side, eight[side]));
        const { user, system } = process.cpuUsage(before);
        cpuMs[side] += (user + system) / 1_000 / CALLS;
      }
    }
    const life: number[] = [];
    const lookUp: number[] = [];
    for (let turn = 0; turn < CALLS; turn += 1) {
      life.push((await timed(() => selectLife(randomUUID()).execute(db))).seconds * 1_000);
      lookUp.push((await timed(() => sql`select 1`.execute(db))).seconds * 1_000);
    }
    return {
      summary: {
        chargedCall: compare(one.journal, one.bare),
        eightAtOnce: percentilesOf(eight.journal),
        byHand: { one: percentilesOf(one.byHand), eightAtOnce: percentilesOf(eight.byHand) },
        cpuMs,
        lifeColumns: compare(life, lookUp),
        calls: CALLS,
      },
      ratios: {
        'a charged call ÷ its durable steps by hand (time: less is better)':
          percentile(one.journal, 0.5) / percentile(one.byHand, 0.5),
        'eight charged calls at once ÷ their durable steps by hand (time: less is better)':
          percentile(eight.journal, 0.5) / percentile(eight.byHand, 0.5),
      },
      missed: [],
    };
  } finally {
    await Promise.all([deps.journal.close(), deps.spool.close()]);
    for (const { client } of deps.accounts.values()) client.close();
    await Promise.all([db.destroy(), byHand.close()]);
    service.disconnect();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }

  function buildDeps(): ActivityDeps {
    const silent = (): void => undefined;
    return buildActivityDeps({
      db,
      log: { info: silent, warn: silent, error: silent },
      client: undefined as never,
      config: resolveConfig({
        env: {
          TRAMITA_API_URL: `http://127.0.0.1:${port}`,
          TRAMITA_API_KEY: 'sandbox-key',
          TRAMITA_ID_KEY: 'id-key-of-the-bench-0123456789abcdef',
          TRAMITA_FILES_DIR: join(folder, 'files'),
        },
      }),
      wake: () => Promise.resolve(),
      inbox: createInbox({ db, clock: Date.now }),
    });
  }
}

function callsOf(deps: ActivityDeps): (n: number) => Promise<void> {
  const { charged } = createActivities(deps);
  return async (n) => {
    const input: ChargedCallInput = {
      workflowId: `bench-${n}`,
      firstRunId: 'bench',
      step: 'getCase',
      ordinal: 1,
      workflowType: 'readCase',
      account: 'default',
      params: { cnj: caseOf(n) },
      flags: [],
    };
    const result: ChargedCallResult = await new MockActivityEnvironment().run(charged.getCase, input);
    if (result.outcome !== 'DONE') throw new Error(`call ${n}: ${result.outcome}`);
  };
}

function caseOf(n: number): string {
  return caseNumberOf(3_000_000 + n);
}

/** Milliseconds with, without, and the difference. */
function compare(more: readonly number[], less: readonly number[]): Readonly<Record<'p50' | 'p99', object>> {
  const figures = (share: number): object => {
    const [withIt, without] = [percentile(more, share), percentile(less, share)];
    return { withMs: withIt, withoutMs: without, extraMs: withIt - without };
  };
  return { p50: figures(0.5), p99: figures(0.99) };
}

function serve(): void {
  const traits = { degrees: 2 } as CaseTraits;
  const record = buildCover({ seed: 'bench', cnj: caseNumberOf(1), traits, sealed: false, nowMs: Date.now() });
  const service = createServer(({ url = '' }, response) => {
    const data = { ...record, numero_cnj: formatCnj(/\d{20}/.exec(url)?.[0] ?? '') };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data, meta: { creditsCharged: 0.5, creditsRemaining: 9 } }));
  });
  service.listen(0, '127.0.0.1', () => process.send?.((service.address() as AddressInfo).port));
  process.once('disconnect', () => process.exit(0));
}

if (process.argv[2] === 'service') serve();
else runBench('journal', measure);
