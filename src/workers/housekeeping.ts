/**
 * What a worker does besides activities, in rounds: it settles answers that are only in the spool; it turns calls that stayed
 * open (a killed worker, a terminated run) into `unknown` and wakes the flows that wait for them; it delivers owed wakes; it
 * drops what is old. Rounds for the whole installation are done by one worker at a time, in turns.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { FILE_OPEN_AT_MOST_MS, nameOfError, OPEN_AT_MOST_MS } from '../contract/values/index.js';
import type { Keeping } from '../privacy/index.js';
import { CLOCK_EVERY_MS } from '../store/index.js';
import {
  correctIfChanged,
  isFileCall,
  noteQuietBalance,
  settleWholeSpool,
  type ActivityDeps,
} from '../activities/index.js';

/** Sends notice another life of the database by themselves and hold; this round soon ends the hold. */
const LIFE_EVERY_MS = 5_000;
const SPOOL_EVERY_MS = 5_000;
const FILES_EVERY_MS = 5_000;
const SWEEP_EVERY_MS = 30_000;
/** Reads an opening balance as evidence for the next unknown charge, but only if something has moved. */
const BALANCE_EVERY_MS = 30_000;
const EXPIRE_EVERY_MS = 3_600_000;
/** An erasure is complete only when the disks of all workers are clean. */
const ERASURES_EVERY_MS = 30_000;

/** A partial file that has not changed for so long was left by a dead process: the longest download takes minutes. */
const PART_AT_MOST_MS = 6 * 3_600_000;

function slowCalls({ catalogue }: ActivityDeps): { operations: readonly string[]; olderThanMs: number } {
  const files = catalogue.operations.filter(isFileCall);
  return { operations: files.map(({ id }) => id), olderThanMs: FILE_OPEN_AT_MOST_MS };
}

/** Places of retention, each in a round of its own. */
const KEEPING = ['months', 'events', 'archive', 'answers', 'readings', 'files', 'records', 'accessLog'] as const;
/** Rounds for the whole installation: done by one worker at a time. Every worker does the other rounds. */
const FOR_ALL = new Set<string>(['sweep', 'waiters', 'imports', 'balances', ...KEEPING]);
/** A turn lasts for this share of the time between two rounds, so that after a killed worker another one soon takes over. */
const TURN_SHARE = 0.5;
/** A round of retention that has left work goes on for this share of the time between two rounds, within its turn. */
const GO_ON_SHARE = 0.4;
/** So that it leaves the database and the file store to others in between. */
const PAUSE_MS = 1_000;
/** Random share of the time between two rounds, so that workers that were started together get out of step. */
const ROUND_SPREAD = 0.2;

/** What the rounds do, besides what {@link ActivityDeps} can. */
export interface Duties {
  /** True for one worker of all until the time is over. */
  readonly takeTurn: (round: string, forMs: number) => Promise<boolean>;
  readonly startRelay: () => Pick<Housekeeping, 'stop'>;
  readonly dropExpiredWaiters: () => Promise<number>;
  /** Retention, by place. */
  readonly keeping: Keeping;
  /** Notices another life of the database, and writes back what the journal knows. */
  readonly keepLedger: () => Promise<void>;
  /** Corrects the worker's clock by the database's. */
  readonly setClock: () => Promise<void>;
  readonly rotateJournal: () => Promise<void>;
  /** Removes from this worker's disk what was erased elsewhere. */
  readonly honourErasures: () => Promise<unknown>;
}

export interface Housekeeping {
  /** Resolves after the current round. */
  stop(): Promise<void>;
}

export function startHousekeeping(deps: ActivityDeps, duties: Duties): Housekeeping {
  const stopping = new AbortController();
  const rounds = [
    startRound('spool', SPOOL_EVERY_MS, async () => {
      // Erasures come first, so that erased data does not return from this disk into the ledger.
      const settled = await settleWholeSpool(deps, () => duties.honourErasures());
      if (settled > 0) deps.log.info({ settled }, 'answers settled from the spool');
    }),
    startRound('sweep', SWEEP_EVERY_MS, async () => {
      for (const { intent, wakes } of await deps.ledger.sweep(OPEN_AT_MOST_MS, slowCalls(deps))) {
        deps.log.warn(
          {
            intentId: intent.intentId,
            workflowId: intent.workflowId,
            runId: intent.firstRunId,
            operation: intent.operation,
          },
          'open charge swept: what it cost is unknown',
        );
        await deps.wake(wakes);
      }
    }),
    duties.startRelay(),
    startRound('clock', CLOCK_EVERY_MS, () => duties.setClock()),
    startRound('ledger life', LIFE_EVERY_MS, () => duties.keepLedger()),
    startRound('journal', EXPIRE_EVERY_MS, () => duties.rotateJournal()),
    startRound('erasures', ERASURES_EVERY_MS, () => duties.honourErasures()),
    startRound('waiters', EXPIRE_EVERY_MS, () => duties.dropExpiredWaiters()),
    ...KEEPING.map((place) => startRound(place, EXPIRE_EVERY_MS, () => untilDone(() => duties.keeping[place]()))),
    startRound('own files', EXPIRE_EVERY_MS, () => untilDone(() => duties.keeping.ownFiles())),
    startRound('imports', EXPIRE_EVERY_MS, () => deps.lawyers.dropAbandoned()),
    startRound('balances', BALANCE_EVERY_MS, async () => {
      for (const account of deps.accounts.values()) if (account.exclusive) await noteQuietBalance(deps, account);
    }),
    startRound('parts', EXPIRE_EVERY_MS, () => deps.files.sweepParts(PART_AT_MOST_MS)),
    startRound('files on their way to the store', FILES_EVERY_MS, async () => {
      const brought = await deps.files.bringOwed(stopping.signal);
      if (brought > 0) deps.log.info({ brought }, 'files brought to the file store');
    }),
  ];
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(rounds.map((round) => round.stop()));
    },
  };

  async function untilDone(run: () => Promise<unknown>): Promise<void> {
    const untilMs = performance.now() + EXPIRE_EVERY_MS * GO_ON_SHARE;
    while (hasLeftWork(await run())) {
      await sleep(PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted || performance.now() > untilMs) return;
    }
  }

  function startRound(name: string, everyMs: number, run: () => Promise<unknown>): Housekeeping {
    let stopped = false;
    let timer: NodeJS.Timeout | undefined;
    let running: Promise<unknown> = Promise.resolve();
    const isDue = async (): Promise<boolean> =>
      !FOR_ALL.has(name) || (await duties.takeTurn(name, everyMs * TURN_SHARE));
    const next = (): void => {
      running = correctIfChanged(deps.clock)
        .then(isDue)
        .then(async (due) => (due ? await run() : undefined))
        .catch((error: unknown) =>
          deps.log.warn({ round: name, error: nameOfError(error) }, 'housekeeping round failed'),
        )
        .then(() => {
          if (!stopped) timer = setTimeout(next, everyMs * (1 + ROUND_SPREAD * (Math.random() - 0.5)));
        });
    };
    next();
    return {
      stop: async () => {
        stopped = true;
        clearTimeout(timer);
        await running;
      },
    };
  }
}

function hasLeftWork(done: unknown): boolean {
  return (done as { readonly more?: unknown } | null | undefined)?.more === true;
}
