/**
 * What is paid, under faults and kills: the same planned faults of the service (connections reset before and after the
 * charge, answers cut or lost, 5xx with and without a charge, 5xx of the free read), a paid call that takes as long as a
 * real one, and a worker that is killed with SIGKILL every few seconds and started again, until all flows have begun. Then
 * the engine has time to settle. Judged by the sandbox's charge book and by what the engine says of each flow.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../../soak/random.js';
import type { FaultRow } from '../../soak/calls/faults.js';
import type { Contender, Program } from './contender.js';
import { nextCase } from './speed.js';

/** How long the service works on a paid call, so that a kill can hit one. */
const PAID_CALL_MS = 250;
const KILL_EVERY_MS = { least: 2_500, most: 5_000 };
/** One in this many paid calls meets a fault, and one in this many free reads. */
const FAULT_EVERY = { paid: 4, free: 8 };
const SETTLE_WITHIN_MS = 240_000;
const LOOK_EVERY_MS = 1_000;

const PAID_FAULTS: readonly FaultRow['fault'][] = [
  { fault: 'F1' },
  { fault: 'F3' },
  { fault: 'F4' },
  { fault: 'F5' },
  { fault: 'F9', status: 500 },
  { fault: 'F9', status: 502 },
  { fault: 'F9', status: 504 },
  { fault: 'F10' },
  { fault: 'status', status: 503 },
];
const FREE_FAULTS: readonly FaultRow['fault'][] = [{ fault: 'F1' }, { fault: 'F4' }, { fault: 'status', status: 503 }];

export interface Verdict {
  readonly flows: number;
  readonly kills: number;
  readonly charges: number;
  /** Its result is stored. */
  readonly finished: number;
  /** Cases with more than one charge, however their flow ended. */
  readonly paidTwice: number;
  /** Paid, but given up, and the engine's own record does not show the charge. */
  readonly lostUnseen: number;
  /** Neither ended, nor given up, nor waiting for a decision. */
  readonly stuck: number;
  /** Given up, or waiting for a decision: somebody has to check whether it was paid. */
  readonly person: number;
  /** Seconds until all had ended, or until the time limit. */
  readonly seconds: number;
}

export async function findTruth(
  contender: Contender,
  { flows, perSecond, seed }: { readonly flows: number; readonly perSecond: number; readonly seed: number },
): Promise<Verdict> {
  const random = createRandom(seed);
  await arm(contender, flows, random);
  const all = Array.from({ length: flows }, nextCase);
  const over = new AbortController();
  const killing = killNowAndThen(contender, await contender.startWorker(), { random, signal: over.signal });
  const startedMs = Date.now();
  // Awaited after the starts; until then a failure must not end the process as an unhandled rejection.
  killing.catch(() => undefined);
  try {
    for (const [index, cnj] of all.entries()) {
      await sleep(Math.max(0, startedMs + (index * 1_000) / perSecond - Date.now()));
      await contender.start(cnj);
    }
  } catch (error) {
    over.abort();
    await killing.then(({ worker }) => worker.kill()).catch(() => undefined);
    throw error;
  }
  over.abort();
  const { kills, worker } = await killing;
  try {
    await settle(contender, all);
  } finally {
    await worker.kill();
  }
  return { ...(await judge(contender, all)), kills, seconds: (Date.now() - startedMs) / 1_000 };
}

/** Each fault is armed for one paid call, counted from now. */
async function arm({ service }: Contender, flows: number, random: Random): Promise<void> {
  for (let after = 0; after < flows; after += 1) {
    if (random.integer(FAULT_EVERY.paid) === 0) {
      await service.arm({ ...random.pick(PAID_FAULTS), operation: 'requestRefresh', after, times: 1 });
    }
    if (random.integer(FAULT_EVERY.free) === 0) {
      await service.arm({ ...random.pick(FREE_FAULTS), operation: 'getRequest', after, times: 1 });
    }
  }
  // Armed last: it applies to every call that no other fault meets.
  await service.arm({ fault: 'F7', operation: 'requestRefresh', ms: PAID_CALL_MS, times: 1_000_000 });
}

/** Kills and restarts workers until the signal; the last worker stays alive. */
async function killNowAndThen(
  contender: Contender,
  first: Program,
  { random, signal }: { readonly random: Random; readonly signal: AbortSignal },
): Promise<{ readonly kills: number; readonly worker: Program }> {
  const { least, most } = KILL_EVERY_MS;
  let worker = first;
  for (let kills = 0; ; kills += 1) {
    await sleep(least + random.integer(most - least), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return { kills, worker };
    await worker.kill();
    worker = await contender.startWorker();
  }
}

interface Ends {
  readonly done: ReadonlySet<string>;
  readonly failed: ReadonlyMap<string, 'paid' | 'not said'>;
  readonly asking: ReadonlySet<string>;
}

async function endsOf(contender: Contender): Promise<Ends> {
  return { done: await contender.done(), failed: await contender.failed(), asking: await contender.asking() };
}

/** Waits until every flow has ended: evidence may still decide what asks a person. */
async function settle(contender: Contender, all: readonly string[]): Promise<void> {
  const untilMs = Date.now() + SETTLE_WITHIN_MS;
  while (Date.now() < untilMs) {
    const { done, failed } = await endsOf(contender);
    if (all.every((cnj) => done.has(cnj) || failed.has(cnj))) return;
    await sleep(LOOK_EVERY_MS);
  }
}

async function judge(contender: Contender, all: readonly string[]): Promise<Omit<Verdict, 'kills' | 'seconds'>> {
  const { done, failed, asking } = await endsOf(contender);
  const charges = new Map<string, number>();
  for (const { subject } of await contender.service.charges()) {
    charges.set(subject.cnj, (charges.get(subject.cnj) ?? 0) + 1);
  }
  const paid = (cnj: string): number => charges.get(cnj) ?? 0;
  const givenUp = all.filter((cnj) => failed.has(cnj) && !done.has(cnj));
  const waiting = all.filter((cnj) => asking.has(cnj) && !done.has(cnj) && !failed.has(cnj));
  const finished = all.filter((cnj) => done.has(cnj)).length;
  return {
    flows: all.length,
    finished,
    charges: all.reduce((sum, cnj) => sum + paid(cnj), 0),
    paidTwice: all.filter((cnj) => paid(cnj) > 1).length,
    lostUnseen: givenUp.filter((cnj) => paid(cnj) > 0 && failed.get(cnj) === 'not said').length,
    stuck: all.length - finished - givenUp.length - waiting.length,
    person: givenUp.length + waiting.length,
  };
}
