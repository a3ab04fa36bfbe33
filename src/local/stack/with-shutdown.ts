/**
 * Runs a body that starts parts, and stops the parts in any case, last started first: when the body ends or fails, and when
 * the process is asked to end (SIGINT, SIGTERM, SIGHUP). Every stop is bounded. A second signal stops waiting; a plain
 * `process.exit` still signals every part. For what cannot be caught (`kill -9`) there is the stack file.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { SAME_SIGNAL_WITHIN_MS } from '../../contract/values/index.js';
import type { OnProgress } from '../process/progress.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Parts have their own, shorter bounds; this one is for a part without. */
const STOP_WITHIN_MS = 40_000;

/** How long the body may take to react to the signal before its parts are stopped. */
const BODY_NOTICES_WITHIN_MS = 2_000;

const STAY_EVERY_MS = 60_000;

export interface Part {
  readonly name: string;
  readonly stop: () => void | Promise<void>;
  readonly stopNow?: () => void;
}

export interface Shutdown {
  /** Aborted when the process is asked to end; pass it to everything that can wait long. */
  readonly signal: AbortSignal;
  /** Resolves when the process is asked to end: for a body that only stays up. */
  readonly requested: Promise<void>;
  /** Adds a started part that must be stopped. If the shutdown has begun, signals the part to stop and throws. */
  readonly add: (part: Part) => void;
  /** Requests the end like a first signal, for example because a part died. */
  readonly request: (why: string) => void;
}

export type ShutdownResult<T> =
  | { readonly ended: 'done'; readonly value: T }
  | {
      readonly ended: 'requested';
      readonly why: string;
      /** Absent when a part asked for the end. */
      readonly signal?: NodeJS.Signals;
      /** What could not be stopped. */
      readonly problems: readonly string[];
    };

interface SignalSource {
  on(event: string, handler: () => void): unknown;
  off(event: string, handler: () => void): unknown;
}

export interface WithShutdownOptions<T> {
  readonly onProgress: OnProgress;
  readonly body: (shutdown: Shutdown) => Promise<T>;
  /** Tests replace the process. */
  readonly host?: SignalSource;
}

export async function withShutdown<T>({
  onProgress,
  body,
  host = process,
}: WithShutdownOptions<T>): Promise<ShutdownResult<T>> {
  const parts: Part[] = [];
  const requested = new AbortController();
  const impatient = new AbortController();
  let isStopping = false;
  let cause: { readonly why: string; readonly signal?: NodeJS.Signals } | undefined;
  let firstSignalAtMs: number | undefined;
  const request = (why: string, signal?: NodeJS.Signals): void => {
    cause ??= signal === undefined ? { why } : { why, signal };
    requested.abort(new Error(`tramita: stopped (${cause.why})`));
  };
  const onSignal = (name: NodeJS.Signals): void => {
    const nowMs = performance.now();
    firstSignalAtMs ??= nowMs;
    if (nowMs - firstSignalAtMs > SAME_SIGNAL_WITHIN_MS) impatient.abort();
    request(name, name);
  };
  const stopAllNow = (): void => {
    for (const part of [...parts].reverse()) stopNow(part);
  };
  const handlers = SIGNALS.map((name) => [name, () => onSignal(name)] as const);
  for (const [name, handler] of handlers) host.on(name, handler);
  host.on('exit', stopAllNow);
  // signal handlers alone do not keep Node alive, and the parts may all be children of other processes
  const staying = setInterval(() => undefined, STAY_EVERY_MS);

  const shutdown: Shutdown = {
    signal: requested.signal,
    requested: once(requested.signal, 'abort').then(() => undefined),
    request: (why) => request(why),
    add: (part) => {
      if (isStopping) {
        stopNow(part);
        throw new Error(`tramita: ${part.name} was started while everything is being stopped`);
      }
      parts.push(part);
    },
  };
  try {
    const running = body(shutdown);
    // a body that fails after nobody waits for it any more must not be an unhandled rejection
    running.catch(() => undefined);
    const outcome = await Promise.race([
      running.then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      ),
      shutdown.requested.then(() => sleep(BODY_NOTICES_WITHIN_MS, undefined, { ref: false })),
    ]);
    isStopping = true;
    const problems = await stopParts({ parts, impatient: impatient.signal, onProgress });
    if (cause !== undefined) return { ended: 'requested', ...cause, problems };
    if (outcome !== undefined && 'error' in outcome) throw outcome.error;
    if (problems.length > 0) throw new Error(problems.join('\n'));
    return { ended: 'done', value: (outcome as { value: T }).value };
  } finally {
    clearInterval(staying);
    for (const [name, handler] of handlers) host.off(name, handler);
    host.off('exit', stopAllNow);
  }
}

/** Removes each part when it is stopped, so that what is left in the list is what still has to go. */
async function stopParts(stopping: {
  readonly parts: Part[];
  readonly impatient: AbortSignal;
  readonly onProgress: OnProgress;
}): Promise<string[]> {
  const { parts, impatient, onProgress } = stopping;
  const problems: string[] = [];
  for (let part = parts.at(-1); part !== undefined; part = parts.at(-1)) {
    if (impatient.aborted) {
      stopNow(part);
      problems.push(`tramita: ${part.name} was asked to stop and not waited for`);
    } else {
      onProgress({ about: 'stack', kind: 'step', text: `stopping ${part.name}` });
      const problem = await stopPart(part, impatient);
      if (problem !== undefined) problems.push(problem);
    }
    parts.pop();
  }
  return problems;
}

async function stopPart(part: Part, impatient: AbortSignal): Promise<string | undefined> {
  const over = new AbortController();
  const signal = AbortSignal.any([impatient, over.signal]);
  const patience = sleep(STOP_WITHIN_MS, undefined, { ref: false, signal }).catch(() => undefined);
  const stopping = (async () => part.stop())().then(
    () => ({ problem: undefined }),
    (error: unknown) => ({ problem: `tramita: ${part.name} could not be stopped: ${String(error)}` }),
  );
  const stopped = await Promise.race([stopping, patience]);
  over.abort();
  if (stopped !== undefined) return stopped.problem;
  stopNow(part);
  return `tramita: ${part.name} did not stop in time`;
}

/** One part that cannot be signalled must not keep the others from it. */
function stopNow(part: Part): void {
  try {
    part.stopNow?.();
  } catch {
    // reported by `stop`, or nobody is left to report to
  }
}
