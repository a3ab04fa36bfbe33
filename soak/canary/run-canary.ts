/**
 * The canary run: personal data and secrets of twelve kinds go through every flow, every operation and every kind of webhook,
 * past errors that repeat them, lost answers, decisions of a person, bad input and a database that is away; then they are
 * looked for in everything that was left behind.
 */
import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { randomBytes } from 'node:crypto';
import { API_KEYS } from '../../sandbox/index.js';
import { createStarterDeps } from '../../src/config/index.js';
import { freePort, type Shutdown } from '../../src/local/index.js';
import { SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../../src/protocol/index.js';
import { createPortfolios } from '../../src/records/index.js';
import { readProgress, resumeFlow, settleCharge, starterOf } from '../../src/starters/index.js';
import { BRIDGE_ROLE, migrate } from '../../src/store/index.js';
import type { Cnj } from '../../src/contract/index.js';
import { SOAK_FILTERS } from '../calls/arguments.js';
import { KINDS } from '../flows/kinds.js';
import { caseNumberOf } from '../identifiers.js';
import { createDatabase, postgresUp, soakFolder, temporalUp } from '../servers.js';
import { startBridgeProcess, startWorkerProcess } from '../worker-process.js';
import { openWorld, type World } from '../world.js';
import {
  badAsks,
  CHARGED,
  personalAsks,
  plantAnswers,
  sendWebhooks,
  tellingError,
  wavesOf,
  type Ask,
  type Fault,
} from './asked.js';
import { makeCanaries, needlesOf, payloadKey, type Canaries, type CanaryKind } from './canaries.js';
import { collectTemporal, dumpDatabase, readFolder, readOrNothing, type Contents } from './collect.js';
import { LOOKS, looksAt, mistakes, runAll, runAny } from './commands.js';
import type { Mode } from './places.js';
import { lookFor, type Finding } from './verdict.js';

export interface CanaryOptions {
  readonly seed: number;
  readonly mode: Mode;
  /** Flows of every type under every fault; else of a few. */
  readonly whole: boolean;
  /** Calls that hang past every patience. */
  readonly slow: boolean;
  /** Writes this canary into a log, as a leak would: the run has to fail. */
  readonly leak?: CanaryKind;
}

type Say = (text: string) => void;

const WAVE_ENDS_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 500;
const MOST_DECISIONS = 3;
/** A case with documents. */
const HAPPY = '1000001-51.2026.8.26.0100';
/** What servers are commonly told to log. Values of statements only where a superuser has not forbidden it (docs/operations.md). */
const LOGGING = {
  log_min_error_statement: 'error',
  log_min_duration_statement: '0',
  log_statement: 'ddl',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '1024',
  log_lock_waits: 'on',
};
const LOCKED_MS = 7_000;
const LOCKS = 'lock table tramita.intent, tramita.event, tramita.waiter, tramita.movement in exclusive mode';

export async function runCanary(shutdown: Shutdown, options: CanaryOptions, say: Say): Promise<Finding> {
  const { mode, seed } = options;
  const folder = soakFolder();
  shutdown.add({ name: 'canary folder', stop: () => rmSync(folder, { recursive: true, force: true }) });
  const postgres = await postgresUp(folder);
  shutdown.add({ name: 'PostgreSQL', stop: () => postgres.stop() });
  const temporal = shutdown.add(await temporalUp(folder));

  const canaries = makeCanaries(seed, API_KEYS.works);
  const ops = { worker: `127.0.0.1:${await freePort()}`, bridge: `127.0.0.1:${await freePort()}` };
  const keys = mode === 'keys on' ? { TRAMITA_PAYLOAD_KEYS: `${payloadKey('k2')},${payloadKey('k1')}` } : undefined;
  const world = await openWorld(shutdown, {
    servers: { temporalAddress: temporal.address, databaseUrl: postgres.url },
    ...{ databaseUrl: await createDatabase(postgres.url, 'canary'), filters: SOAK_FILTERS, webhooks: true },
    sandbox: { refreshMs: 500, coverageMs: 500, webhookMaxAttempts: 2 },
    env: { TRAMITA_LOG_LEVEL: 'debug', TRAMITA_WORKER_OPS_LISTEN: ops.worker, ...keys },
  });
  const { db, env, service } = world;
  for (const [name, value] of Object.entries(LOGGING))
    await sql.raw(`alter system set ${name} = '${value}'`).execute(db);
  await sql`select pg_reload_conf()`.execute(db);
  const bridgeUrl = new URL(env['TRAMITA_DATABASE_URL'] ?? '');
  bridgeUrl.username = BRIDGE_ROLE;
  bridgeUrl.password = randomBytes(16).toString('hex');
  await migrate(env['TRAMITA_DATABASE_URL'] ?? '', { bridgeUrl: bridgeUrl.href });

  const logs = { worker: [] as Buffer[], bridge: [] as Buffer[] };
  const webhook = { secret: canaries.webhookSecret, token: canaries.tokens[0] ?? '' };
  const listen = `127.0.0.1:${await freePort()}`;
  const bridge = await startBridgeProcess(
    {
      ...{ TEMPORAL_ADDRESS: temporal.address, TRAMITA_BRIDGE_DATABASE_URL: bridgeUrl.href, ...keys },
      ...{ TRAMITA_BRIDGE_LISTEN: listen, TRAMITA_BRIDGE_OPS_LISTEN: ops.bridge, TRAMITA_LOG_LEVEL: 'debug' },
      ...{ TRAMITA_WEBHOOK_SECRETS: webhook.secret, TRAMITA_WEBHOOK_TOKENS: webhook.token },
    },
    { onWritten: (chunk) => logs.bridge.push(chunk) },
  );
  shutdown.add({ name: 'bridge', stop: () => bridge.kill() });
  const worker = await startWorkerProcess(env, { onWritten: (chunk) => logs.worker.push(chunk) });
  shutdown.add({ name: 'worker', stop: () => worker.kill() });
  const to = { ...webhook, url: `http://${listen}/webhooks` };
  await service.control('/webhook', to);
  await plantAnswers(service.control, canaries);
  say(`${mode}: servers and programs are up`);

  const person = decideParked(world, canaries);
  const spooled: Buffer[] = [];
  const link = await signedLink(world);
  const error = tellingError(canaries, link);
  const waves = wavesOf(error, options).slice(0, options.whole ? undefined : 2);
  const started: string[] = [];
  for (const [index, [name, faults]] of waves.entries()) {
    const beganMs = Date.now();
    started.push(...(await playWave(world, canaries, { index, seed, faults })));
    say(`${mode}: ${name}: ${Date.now() - beganMs} ms; under way: ${await describeRunning(world)}`);
  }
  const taken = await sendWebhooks({ control: service.control, canaries, webhook: to, cnj: caseNumberOf(3_000_000) });
  say(`${mode}: the bridge has taken ${taken} webhooks`);

  // The database is away for statements, not for connections: they fail with their text in its log.
  const away = db.transaction().execute(async (trx) => {
    await sql.raw(LOCKS).execute(trx);
    await sleep(LOCKED_MS);
  });
  started.push(...(await playWave(world, canaries, { index: waves.length, seed, faults: [], endsWithinMs: 2_000 })));
  await sendWebhooks({ control: service.control, canaries, webhook: to, cnj: caseNumberOf(3_000_001) });
  await away;
  const files = env['TRAMITA_FILES_DIR'] ?? '';
  spooled.push(...readFolder(files, (path) => path.includes('spool')));
  await untilEnded(world, WAVE_ENDS_WITHIN_MS);
  await person.stop();

  const metrics = await Promise.all(
    [`http://${ops.worker}/metrics`, `http://${ops.bridge}/metrics`, `http://${ops.worker}/readyz`].map(async (url) =>
      Buffer.from(await (await fetch(url)).text()),
    ),
  );
  const looking = { ...env, ...{ TRAMITA_WEBHOOK_SECRETS: webhook.secret, TRAMITA_WEBHOOK_TOKENS: webhook.token } };
  const printed = await runAll(looking, [...LOOKS, ...mistakes(canaries)]);
  const shown = await runAll(looking, looksAt(started.slice(0, options.whole ? 30 : 6)));
  const exported = await runAny(looking, ['ledger', 'export']);
  say(`${mode}: ${printed.length + shown.length} commands have printed`);
  await Promise.all([worker.kill(), bridge.kill()]);
  if (options.leak !== undefined) logs.worker.push(leaking(canaries, options.leak));

  const spoolPath = (path: string): boolean => path.includes('spool');
  const journalPath = (path: string): boolean => path.includes('journal');
  const contents: Contents = {
    ...(await collectTemporal(world.client)),
    'temporal files': readFolder(join(folder, 'temporal')),
    'temporal log': readOrNothing(join(folder, 'temporal.log')),
    'postgres log': readOrNothing(join(folder, 'postgres.log')),
    'worker log': [Buffer.concat(logs.worker)],
    'bridge log': [Buffer.concat(logs.bridge)],
    metrics,
    commands: printed.map(({ output }) => output),
    'shown results': shown.map(({ output }) => output),
    'ledger export': [exported.output],
    journal: readFolder(files, journalPath),
    spool: [...spooled, ...readFolder(files, spoolPath)],
    files: readFolder(files, (path) => !spoolPath(path) && !journalPath(path)),
    database: await dumpDatabase(db),
  };
  keepForLooking(contents);
  const passwords = [bridgeUrl.password, new URL(env['TRAMITA_DATABASE_URL'] ?? '').password];
  const idKey = env['TRAMITA_ID_KEY'] ?? '';
  const payloadKeys = (env['TRAMITA_PAYLOAD_KEYS'] ?? '').split(',').flatMap((entry) => entry.split(':').slice(1));
  const tokens = [...canaries.tokens, ...passwords, idKey, ...payloadKeys];
  const needles = needlesOf({ ...canaries, tokens }, await signatures(world));
  return lookFor(contents, needles, { mode, canaries });
}

function keepForLooking(contents: Contents): void {
  const folder = process.env['TRAMITA_CANARY_KEEP'];
  if (folder === undefined || !existsSync(folder)) return;
  for (const [place, parts] of Object.entries(contents))
    for (const part of parts) appendFileSync(join(folder, place.replaceAll(' ', '-')), part);
}

interface Wave {
  readonly index: number;
  readonly seed: number;
  readonly faults: readonly Fault[];
  readonly endsWithinMs?: number;
}

/** Every type of flow with ordinary input, those that name a person, and those that must be refused. Returns their ids. */
async function playWave(world: World, canaries: Canaries, { index, seed, faults, ...wave }: Wave): Promise<string[]> {
  const { service, client, config, taskQueue, db } = world;
  for (const fault of faults) {
    for (const operation of CHARGED) await service.arm({ ...fault, operation, times: 2 });
  }
  const portfolios = createPortfolios({ db });
  const saveList = async (name: string, cases: readonly string[]): Promise<void> => {
    await portfolios.saveList({ account: service.name, name, cases: cases as readonly Cnj[] });
  };
  const n = (seed % 1_000) * 40 + index + 1;
  const deps = createStarterDeps(config, client);
  const asks: Ask[] = [
    { type: 'refreshCase', input: { cnj: HAPPY, documents: true, download: true } },
    ...personalAsks(canaries, n),
  ];
  const ids: string[] = [];
  const start = async ({ type, input }: Ask): Promise<void> => {
    try {
      ids.push((await starterOf(type)(deps, input as never, {})).workflowId);
    } catch (error) {
      // Said to its caller, who may log it.
      starterErrors.push(error instanceof Error ? error.message : String(error));
    }
  };
  const starterErrors: string[] = [];
  for (const type of WORKFLOW_TYPES) {
    try {
      const { input } = await KINDS[type](n, { service, saveList });
      asks.push({ type, input });
    } catch {
      // The service was made to fail, or the database was away.
    }
  }
  await Promise.all(asks.map(start));
  // Past the starters, which would refuse them: as a program in another language would.
  for (const [place, { type, input }] of badAsks(canaries).entries()) {
    const workflowId = `bad-${index}-${place}`;
    await client.workflow.start(type, { taskQueue, workflowId, args: [input] });
    ids.push(workflowId);
  }
  await untilEnded(world, wave.endsWithinMs ?? WAVE_ENDS_WITHIN_MS);
  return ids;
}

async function describeRunning({ client, taskQueue }: World): Promise<string> {
  const running: string[] = [];
  const query = `TaskQueue = "${taskQueue}" AND ExecutionStatus = "Running"`;
  for await (const { workflowId } of client.workflow.list({ query })) {
    const progress = await client
      .withDeadline(Date.now() + 5_000, () => readProgress(client, workflowId))
      .catch(() => null);
    running.push(`${workflowId} (${progress?.state ?? 'no answer'}: ${progress?.waitingFor ?? ''})`);
  }
  return running.join(', ');
}

async function countRunning({ client, taskQueue }: World): Promise<number> {
  const { count } = await client.workflow.count(`TaskQueue = "${taskQueue}" AND ExecutionStatus = "Running"`);
  return count;
}

async function untilEnded(world: World, withinMs: number): Promise<void> {
  const untilMs = Date.now() + withinMs;
  while (Date.now() < untilMs && (await countRunning(world)) > 0) await sleep(LOOK_EVERY_MS);
}

/** Decides what is parked: that it was not charged, and in the end that the flow is over. Notes name persons, as people's do. */
function decideParked({ client, taskQueue }: World, { name, cpf }: Canaries): { readonly stop: () => Promise<void> } {
  const over = new AbortController();
  const tries = new Map<string, number>();
  const query = `TaskQueue = "${taskQueue}" AND ${SEARCH_ATTRIBUTES.attention} IS NOT NULL AND ExecutionStatus = "Running"`;
  const decide = async (workflowId: string): Promise<void> => {
    const done = tries.get(workflowId) ?? 0;
    tries.set(workflowId, done + 1);
    if (done >= MOST_DECISIONS)
      return void (await client.workflow.getHandle(workflowId).terminate('the canary run ends it'));
    const { attention, steps } = await client.withDeadline(Date.now() + 5_000, () => readProgress(client, workflowId));
    const note = `spoke with ${name}, CPF ${cpf}`;
    const step = steps.at(-1)?.step ?? '';
    const isCharge = attention !== null && ['unknown-charge', 'ledger-lost', 'charged-lost'].includes(attention);
    const decision = attention === 'charged-lost' || done > 0 ? 'abandon' : 'not-charged';
    await client.withDeadline(Date.now() + 10_000, async () =>
      isCharge
        ? settleCharge(client, workflowId, { step, decision, by: 'canary', note })
        : resumeFlow(client, workflowId, { by: 'canary', note }),
    );
  };
  const looking = (async () => {
    while (!over.signal.aborted) {
      try {
        for await (const { workflowId } of client.workflow.list({ query }))
          await decide(workflowId).catch(() => undefined);
      } catch {
        // Looked at again in a moment.
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      over.abort();
      await looking;
    },
  };
}

/** One link of the service, to be repeated in its errors. */
async function signedLink({ service }: World): Promise<string> {
  const cnj = HAPPY;
  await service.prepare('POST', `/v1/processos/cnj/${cnj}/solicitar-atualizacao?documentos_publicos=true`, {});
  const { json } = await service.prepare('GET', `/v1/processos/cnj/${cnj}/documentos-publicos`);
  const [link = ''] = /https?:[^"\\]+signature=[0-9a-f]+/.exec(JSON.stringify(json)) ?? [];
  if (link === '') throw new Error('canary: the service has given no signed link');
  seenLinks.add(link);
  return link;
}

const seenLinks = new Set<string>();

/** Of every link that was opened, and of the one in the errors. */
async function signatures({ service }: World): Promise<readonly string[]> {
  const targets = (await service.received()).map(({ target }) => target);
  const all = [...targets, ...seenLinks].flatMap((text) => /signature=([0-9a-f]{64})/.exec(text)?.[1] ?? []);
  return [...new Set(all)];
}

function leaking(canaries: Canaries, kind: CanaryKind): Buffer {
  const [needle] = needlesOf(canaries, ['0'.repeat(64)]).filter((each) => each.kind === kind);
  return Buffer.from(`{"level":"info","msg":"planted ${needle?.text ?? ''}"}\n`);
}
