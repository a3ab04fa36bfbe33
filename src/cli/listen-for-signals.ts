/** SIGTERM and SIGINT of a program that runs until it is told to stop. */
import { constants } from 'node:os';
import { SAME_SIGNAL_WITHIN_MS } from '../contract/values/index.js';

const NAMES = ['SIGTERM', 'SIGINT'] as const;

export interface Signals {
  /** From now on the first signal asks for an orderly end. */
  started(): Promise<NodeJS.Signals>;
  forget(): void;
}

/**
 * Before `started` nothing is under way, so a signal ends the process at once; so does a second one afterwards, unless it is the
 * echo of the first. All of it is done here: for the first process of a container there is no default.
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
