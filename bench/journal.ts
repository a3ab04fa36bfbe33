/**
 * `npm run bench:journal`: what a charged call costs beyond the service's own time, one and eight at once, and what the worker's
 * journal and the look at the database's life add to it, side by side and by turns: whole charged calls with and without the line
 * on the disk, and the look-up's columns beside a bare one. The service is a process of its own, which answers at once with the
 * record of a case.
 */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createActivities, type ActivityDeps } from '../src/activities/index.js';
import { MockActivityEnvironment } from '@temporalio/testing';
import { resolveConfig } from '../src/config/index.js';
import { formatCnj } from '../src/contract/index.js';
import { createInbox } from '../src/inbox/index.js';
import { selectLife } from '../src/ledger/life/read-life.js';
import { startPostgres } from '../src/local/index.js';
import type { ChargedCallInput, ChargedCallResult } from '../src/protocol/index.js';
import { connect, migrate } from '../src/store/index.js';
import { buildActivityDeps } from '../src/workers/build-deps.js';
import { inLanes } from '../soak/calls/drive.js';
import { buildCover } from '../sandbox/cases/cover.js';
import type { CaseTraits } from '../sandbox/cases/personas.js';
import { caseNumberOf } from '../soak/identifiers.js';
import { percentile } from '../soak/numbers.js';
import { nextMessage, runBench, timed, type BenchResult } from './run-bench.js';

const WARM = 200;
const CALLS = 1_500;
const AT_ONCE = 8;

async function measure(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'tramita-journal-'));
  const postgres = await startPostgres({
    ...{ dataDir: join(folder, 'postgres'), logFile: join(folder, 'postgres.log'), env: process.env },
    onProgress: () => undefined,
  });
  const service = fork(__filename, ['service']);
  const port = (await nextMessage(service)) as number;
  await migrate(postgres.url);
  const db = connect({ url: postgres.url, applicationName: 'tramita bench' });
  const deps = buildDeps();
  const bare: ActivityDeps = { ...deps, journal: { ...deps.journal, append: () => Promise.resolve() } };
  try {
    const calls = { journal: callsOf(deps), bare: callsOf(bare) };
    for (let n = 0; n < WARM; n += 1) await calls[n % 2 === 0 ? 'journal' : 'bare'](n);
    const times: Record<'journal' | 'bare', number[]> = { journal: [], bare: [] };
    for (let n = 0; n < CALLS; n += 1) {
      for (const side of n % 2 === 0 ? (['journal', 'bare'] as const) : (['bare', 'journal'] as const)) {
        times[side].push((await timed(() => calls[side](WARM + 2 * n + (side === 'bare' ? 1 : 0)))).seconds * 1_000);
      }
    }
    const atOnce: number[] = [];
    const more = Array.from({ length: CALLS }, (_none, n) => WARM + 2 * CALLS + n);
    await inLanes(more, AT_ONCE, async (n) => {
      atOnce.push((await timed(() => calls.journal(n))).seconds * 1_000);
    });
    const life: number[] = [];
    const one: number[] = [];
    for (let n = 0; n < CALLS; n += 1) {
      life.push((await timed(() => selectLife(randomUUID()).execute(db))).seconds * 1_000);
      one.push((await timed(() => sql`select 1`.execute(db))).seconds * 1_000);
    }
    return {
      summary: {
        chargedCall: compare(times.journal, times.bare),
        eightAtOnce: { p50Ms: percentile(atOnce, 0.5), p99Ms: percentile(atOnce, 0.99) },
        lifeColumns: compare(life, one),
        calls: CALLS,
      },
      missed: [],
    };
  } finally {
    await deps.journal.close();
    for (const { client } of deps.accounts.values()) client.close();
    await db.destroy();
    service.disconnect();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }

  function buildDeps(): ActivityDeps {
    const silent = (): void => undefined;
    return buildActivityDeps({
      ...{ db, log: { info: silent, warn: silent, error: silent }, client: undefined as never },
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
      ...{ workflowId: `bench-${n}`, firstRunId: 'bench', step: 'getCase', ordinal: 1, workflowType: 'readCase' },
      ...{ account: 'default', params: { cnj: caseNumberOf(3_000_000 + n) }, flags: [] },
    };
    const result: ChargedCallResult = await new MockActivityEnvironment().run(charged.getCase, input);
    if (result.outcome !== 'DONE') throw new Error(`call ${n}: ${result.outcome}`);
  };
}

/** Milliseconds with, without, and more. */
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
