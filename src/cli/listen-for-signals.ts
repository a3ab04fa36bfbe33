/** SIGTERM and SIGINT for a program that runs until it is stopped. */
import { constants } from 'node:os';
import { SAME_SIGNAL_WITHIN_MS } from '../contract/values/index.js';

const NAMES = ['SIGTERM', 'SIGINT'] as const;

export interface Signals {
  /** Resolves with the next signal, which asks for a graceful shutdown. */
  started(): Promise<NodeJS.Signals>;
  forget(): void;
}

/**
 * Before `started` nothing is under way, so a signal ends the process at once. After it a second signal does, unless it is a
 * repeat of the first. The exit is explicit: the first process of a container has no default signal handling.
 */
export function listenForSignals(): Signals {
  let stop: ((signal: NodeJS.Signals) => void) | undefined;
  let stoppedAtMs: number | undefined;
  const handler = (signal: NodeJS.Signals): void => {
    const nowMs = performance.now();
    if (stoppedAtMs !== undefined && nowMs - stoppedAtMs <= SAME_SIGNAL_WITHIN_MS) return;
    if (stop === undefined || stoppedAtMs !== undefined) process.exit(128 + constants.signals[signal]);
    stoppedAtMs = nowMs;
    stop(signal);
  };
  for (const name of NAMES) process.on(name, handler);
  return {
    started: () => new Promise((resolve) => (stop = resolve)),
    forget: () => {
      for (const name of NAMES) process.off(name, handler);
    },
  };
}
