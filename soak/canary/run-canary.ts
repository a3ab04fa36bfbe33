/**
 * The canary run: personal data and secrets of twelve kinds pass through every flow, every operation and every kind of webhook,
 * with errors that repeat them, lost answers, a person's decisions, bad input and a database that is down. Then the run
 * searches for them in everything that was left behind.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Shutdown } from '../../src/local/index.js';
import { caseNumberOf } from '../identifiers.js';
import { plantAnswers, sendWebhooks, tellingError, wavesOf } from './asked.js';
import { needlesOf, type Canaries, type CanaryKind } from './canaries.js';
import { collectTemporal, dumpDatabase, readFolder, readOrNothing, type Contents } from './collect.js';
import { arrangements, readsOfStorage, readsOfFlows, mistakes, runAll, wrongSettings } from './commands.js';
import { install, type Installation } from './installation.js';
import type { Mode } from './places.js';
import { lookFor, type Finding } from './verdict.js';
import { decideParked, describeRunning, HAPPY, playWave, untilEnded, type Played } from './wave.js';

export interface CanaryOptions {
  readonly seed: number;
  readonly mode: Mode;
  /** All faults; otherwise a few. */
  readonly whole: boolean;
  /** Also calls that hang longer than any time limit. */
  readonly slow: boolean;
  /** Writes this canary into a log, as a leak would: the run must fail. */
  readonly leak?: CanaryKind;
  /** Folder for a copy of everything that was searched. */
  readonly keep?: string;
}

type Say = (text: string) => void;

const WAVE_ENDS_WITHIN_MS = 60_000;
const SMALL_WAVES = 2;
const SMALL_SOME = 2;
const SHOWN_FLOWS = { whole: 40, small: 1 };
const FIRST_EVENT_CASE = 3_000_000;

export async function runCanary(shutdown: Shutdown, options: CanaryOptions, say: Say): Promise<Finding> {
  const { mode, seed, whole } = options;
  const installed = await install(shutdown, options);
  const { world, canaries, webhook, written, paths } = installed;
  const { control } = world.service;
  say(`${mode}: servers and programs are up`);
  await plantAnswers(control, canaries);
  const link = await signedLink(installed);
  const person = decideParked(world, canaries);
  const played: Played[] = [];
  const waves = wavesOf(tellingError(canaries, link), options);
  for (const [index, [name, faults]] of waves.slice(0, whole ? undefined : SMALL_WAVES).entries()) {
    const beganMs = Date.now();
    played.push(await playWave(world, canaries, { index, seed, faults, endsWithinMs: WAVE_ENDS_WITHIN_MS }));
    say(`${mode}: ${name}: ${Date.now() - beganMs} ms`);
    for (const text of await describeRunning(world)) say(`  under way: ${text}`);
  }
  const events = { control, canaries, webhook };
  await sendWebhooks({ ...events, cnj: caseNumberOf(FIRST_EVENT_CASE) });
  const spooled: Buffer[] = [];
  if (whole) {
    await withoutDatabase(installed, async () => {
      played.push(await playWave(world, canaries, { index: waves.length, seed, faults: [], endsWithinMs: 2_000 }));
      await sendWebhooks({ ...events, cnj: caseNumberOf(FIRST_EVENT_CASE + 1) });
      spooled.push(...readFolder(paths.files, isSpool));
    });
    await untilEnded(world, WAVE_ENDS_WITHIN_MS);
  }
  await person.stop();

  const { env } = installed;
  const list = join(paths.files, '..', 'canaries.txt');
  writeFileSync(list, `${HAPPY}\n`);
  const some = <T>(all: readonly T[]): readonly T[] => (whole ? all : all.slice(0, SMALL_SOME));
  const arranged = await runAll(env, arrangements(canaries, list));
  const commands = [...readsOfStorage(whole), ...some(mistakes(canaries))];
  const printed = await runAll(env, commands, some(wrongSettings(env, canaries)));
  const ids = played.flatMap(({ workflowIds }) => workflowIds);
  const shown = await runAll(env, readsOfFlows(ids.slice(0, whole ? SHOWN_FLOWS.whole : SHOWN_FLOWS.small)));
  const formats = ['csv', 'json'].map((format) => ['ledger', 'export', '--format', format]);
  const exported = await runAll(env, formats);
  say(`${mode}: ${arranged.length + printed.length + shown.length + exported.length} commands have printed`);
  const pages = await Promise.all(installed.pages.map(async (url) => Buffer.from(await (await fetch(url)).text())));
  await installed.stopPrograms();
  if (options.leak !== undefined) written.worker.push(leaking(canaries, options.leak));

  const contents: Contents = {
    ...(await collectTemporal(world.client)),
    'temporal files': readFolder(paths.temporal),
    'temporal log': readOrNothing(paths.temporalLog),
    'postgres log': readOrNothing(paths.postgresLog),
    'worker log': [Buffer.concat(written.worker)],
    'bridge log': [Buffer.concat(written.bridge)],
    metrics: pages,
    traces: [Buffer.concat(installed.traces)],
    commands: [...arranged, ...printed].map(({ output }) => output),
    'errors to callers': [...played.flatMap(({ errors }) => errors), ...person.refusals].map((text) =>
      Buffer.from(text),
    ),
    'shown results': shown.map(({ output }) => output),
    'ledger export': exported.map(({ output }) => output),
    journal: readFolder(paths.files, isJournal),
    spool: [...spooled, ...readFolder(paths.files, isSpool)],
    files: readFolder(paths.files, (path) => !isSpool(path) && !isJournal(path)),
    database: await dumpDatabase(world.db),
  };
  if (options.keep !== undefined) keepIn(options.keep, contents);
  const tokens = [...canaries.tokens, ...installed.secrets];
  const needles = needlesOf({ ...canaries, tokens }, await signatures(installed, link));
  return lookFor(contents, needles, { mode, canaries });
}

function isSpool(path: string): boolean {
  return path.startsWith('spool');
}

function isJournal(path: string): boolean {
  return path.startsWith('journal');
}

const LOCKED_MS = 7_000;
const CONNECTIONS_END_EVERY_MS = 400;
const CONNECTIONS_END = 5;
const END_CONNECTIONS = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name like 'tramita%' and application_name <> 'tramita soak'`;

/** Locks rows, so that statements wait with their values; then ends their connections. */
async function withoutDatabase({ world: { db } }: Installation, meanwhile: () => Promise<void>): Promise<void> {
  const away = db.transaction().execute(async (trx) => {
    for (const table of ['intent', 'waiter', 'event']) {
      await sql.raw(`select 1 from tramita.${table} for update`).execute(trx);
    }
    await sql`lock table tramita.movement in exclusive mode`.execute(trx);
    await sleep(LOCKED_MS);
  });
  const ended = (async () => {
    for (let n = 0; n < CONNECTIONS_END; n += 1) {
      await sleep(CONNECTIONS_END_EVERY_MS);
      await sql.raw(END_CONNECTIONS).execute(db);
    }
  })();
  await Promise.all([away, ended, meanwhile()]);
}

/** One signed link of the service, which its errors will repeat. */
async function signedLink({ world: { service } }: Installation): Promise<string> {
  const target = `/v1/processos/cnj/${HAPPY}`;
  await service.prepare('POST', `${target}/solicitar-atualizacao?documentos_publicos=true`, {});
  const { json } = await service.prepare('GET', `${target}/documentos-publicos`);
  const [link] = /https?:[^"\\]+signature=[0-9a-f]+/.exec(JSON.stringify(json)) ?? [];
  if (link === undefined) throw new Error('canary: the service has given no signed link');
  return link;
}

/** Signatures of every link that was opened, and of this one. */
async function signatures({ world: { service } }: Installation, link: string): Promise<readonly string[]> {
  const targets = (await service.received()).map(({ target }) => target);
  const all = [...targets, link].flatMap((text) => /signature=([0-9a-f]{64})/.exec(text)?.[1] ?? []);
  return [...new Set(all)];
}

function leaking(canaries: Canaries, kind: CanaryKind): Buffer {
  const [needle] = needlesOf(canaries, ['0'.repeat(64)]).filter((each) => each.kind === kind);
  return Buffer.from(`{"level":"info","msg":"planted ${needle?.text ?? ''}"}\n`);
}

function keepIn(folder: string, contents: Contents): void {
  for (const [place, parts] of Object.entries(contents)) {
    for (const part of parts) appendFileSync(join(folder, place.replaceAll(' ', '-')), part);
  }
}
