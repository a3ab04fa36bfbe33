/** SIGTERM and SIGINT of a program that runs until it is told to stop. */
import { constants } from 'node:os';

const NAMES = ['SIGTERM', 'SIGINT'] as const;

export interface Signals {
  /** From now on the first signal asks for an orderly end. */
  started(): Promise<NodeJS.Signals>;
  forget(): void;
}

/**
 * Before `started` nothing is under way, so a signal ends the process at once; so does a second one afterwards. Both are done
 * here: for the first process of a container there is no default.
 */
export function listenForSignals(): Signals {
  let stop: ((signal: NodeJS.Signals) => void) | undefined;
  const handler = (signal: NodeJS.Signals): void => {
    if (stop === undefined) process.exit(128 + constants.signals[signal]);
    stop(signal);
    stop = undefined;
  };
  for (const name of NAMES) process.on(name, handler);
  return {
    started: () => new Promise((resolve) => (stop = resolve)),
    forget: () => {
      for (const name of NAMES) process.off(name, handler);
    },
  };
}
