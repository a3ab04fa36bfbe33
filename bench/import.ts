/**
 * Bench of the import, about four minutes: pages per second compared with a plain fetch-and-upsert loop against the same
 * service with pages of 50 ms (`--page-ms`), the cost of a page in a long list compared with a short one, the events of
 * each run, and its rows compared with COPY. For people on stderr; the last line on stdout is the summary as JSON. Exit
 * code 1 when a target is missed.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from '@temporalio/client';
import { createTokens, loadTemporalConnection, resolveConfig } from '../src/config/index.js';
import { startImportLawyerCases } from '../src/starters/index.js';
import { connect, type Database } from '../src/store/index.js';
import { connectClient } from '../src/temporal-client/index.js';
import { startServers } from '../soak/servers.js';
import { startWorkerProcess } from '../soak/worker-process.js';
import { createPlainTable, importPlainly } from './import-plain.js';
import { measureUpserts } from './import-upsert.js';
import { PAGE_SIZE } from './import-service.js';
import { nextMessage, runBench, say, timed, type BenchResult } from './run-bench.js';

const { 'page-ms': PAGE_MS } = parseArgs({ options: { 'page-ms': { type: 'string', default: '50' } } }).values;
const SHORT_PAGES = 100;
const LONG_PAGES = Number(process.env['TRAMITA_BENCH_PAGES'] ?? 1_000);
const LEAST_RATIO = 0.5;
const MOST_GROWTH = 1.15;
const MOST_EVENTS = 3_500;
/** Each import has its own list, so that nothing is warm. */
const SHORT = 'SP:1';
const WARM = 'SP:2';
const LONG = 'SP:3';

interface Imported {
  readonly pages: number;
  readonly cases: number;
  readonly seconds: number;
  readonly events: readonly number[];
}

interface Bench {
  readonly url: string;
  readonly db: Database;
  readonly client: Client;
  readonly taskQueue: string;
  readonly token: (kind: string, value: unknown) => string;
}

async function measure(): Promise<BenchResult> {
  const servers = await startServers();
  const filesDir = mkdtempSync(join(tmpdir(), 'tramita-bench-'));
  const service = fork(join(__dirname, 'import-service.js'), [
    PAGE_MS,
    ...[`${SHORT}=${SHORT_PAGES}`, `${WARM}=20`, `${LONG}=${LONG_PAGES}`],
  ]);
  const { url } = (await nextMessage(service)) as { readonly url: string };
  const env = {
    TRAMITA_API_URL: url,
    TRAMITA_API_KEY: 'sandbox-key',
    TRAMITA_DATABASE_URL: servers.databaseUrl,
    TRAMITA_ID_KEY: 'id-key-of-the-bench-0123456789abcdef',
    TRAMITA_TASK_QUEUE: 'bench-import',
    TRAMITA_FILES_DIR: filesDir,
    TRAMITA_LOG_LEVEL: 'error',
    TEMPORAL_ADDRESS: servers.temporalAddress,
  };
  const connection = connectClient(loadTemporalConnection(env));
  const db = connect({ url: servers.databaseUrl, applicationName: 'tramita bench', max: 2 });
  const worker = await startWorkerProcess(env);
  try {
    const { taskQueue } = resolveConfig({ env });
    const token = createTokens(env.TRAMITA_ID_KEY).token;
    const bench: Bench = { url, db, client: new Client({ connection }), taskQueue, token };
    await createPlainTable(db);
    await importPlainly(db, { url, oab: WARM, pageSize: PAGE_SIZE });
    await importOnce(bench, WARM);

    const plain = await timed(() => importPlainly(db, { url, oab: LONG, pageSize: PAGE_SIZE }));
    say(
      `plain loop: ${plain.value} pages in ${plain.seconds.toFixed(1)} s, ${rate(plain.value, plain.seconds)} pages/s`,
    );
    const short = await importOnce(bench, SHORT);
    say(`import: ${describe(short)}`);
    const long = await importOnce(bench, LONG);
    say(`import: ${describe(long)}`);

    const upserts = await measureUpserts(db, servers.databaseUrl);
    say(
      `rows of an import: ${upserts.stagedPerSecond.toFixed(0)}/s; by COPY from the worker ${upserts.copiedPerSecond.toFixed(0)}/s, from a file ${upserts.copiedFromFilePerSecond.toFixed(0)}/s`,
    );

    const purchases = await purchasesOf(service);
    const ratio = long.pages / long.seconds / (plain.value / plain.seconds);
    const growth = long.seconds / long.pages / (short.seconds / short.pages);
    const missed = [
      ...(ratio >= LEAST_RATIO ? [] : [`pages per second: ratio below ${LEAST_RATIO}`]),
      ...(growth <= MOST_GROWTH
        ? []
        : [`a page of the long list costs more than ${MOST_GROWTH} of one of the short list`]),
      ...([...short.events, ...long.events].every((count) => count <= MOST_EVENTS)
        ? []
        : ['a run has too many events']),
      ...(long.cases === LONG_PAGES * PAGE_SIZE ? [] : [`${long.cases} cases imported`]),
      ...(purchases[LONG] === 2 && purchases[SHORT] === 1 ? [] : ['page 1 was bought more than once']),
    ];
    return {
      summary: { ratio, growth, plainSeconds: plain.seconds, short, long, upserts },
      ratios: {
        'pages of an import a second ÷ a plain loop': ratio,
        'rows of an import a second ÷ COPY from the worker': upserts.ratio,
        'rows of an import a second ÷ raw COPY': upserts.ratioToFile,
      },
      missed,
    };
  } finally {
    await worker.kill();
    await Promise.allSettled([connection.close(), db.destroy()]);
    service.disconnect();
    await servers.stop();
    rmSync(filesDir, { recursive: true, force: true });
  }
}

async function importOnce({ client, taskQueue, token }: Bench, oab: string): Promise<Imported> {
  const handle = await startImportLawyerCases({ client, taskQueue, token }, { oab, pageSize: PAGE_SIZE });
  const { value, seconds } = await timed(() => handle.result());
  const events = await eventsOf(client, handle);
  return { pages: value.pages, cases: value.cases, seconds, events };
}

/** Number of events of each run, along the chain of histories: visibility may lag behind. */
async function eventsOf(
  client: Client,
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
): Promise<readonly number[]> {
  const counts: number[] = [];
  for (let run: string | null | undefined = runId; typeof run === 'string' && run !== '';) {
    const { events } = await client.workflow.getHandle(workflowId, run).fetchHistory();
    counts.push(events?.length ?? 0);
    run = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return counts;
}

function describe({ pages, cases, seconds, events }: Imported): string {
  return `${pages} pages, ${cases} cases in ${seconds.toFixed(1)} s, ${rate(pages, seconds)} pages/s; runs of ${events.join(', ')} events`;
}

function rate(pages: number, seconds: number): string {
  return (pages / seconds).toFixed(1);
}

async function purchasesOf(service: ChildProcess): Promise<Readonly<Record<string, number>>> {
  const answer = nextMessage(service);
  service.send('purchases');
  return ((await answer) as { readonly purchases: Readonly<Record<string, number>> }).purchases;
}

runBench('import', measure);
