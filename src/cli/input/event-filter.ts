/** Flags that select stored events → the inbox's filter. Pure. */
import { present } from '../../contract/index.js';
import { InvalidArgumentError, type Command } from 'commander';
import type { EventFilter } from '../../inbox/index.js';
import { periodOf } from './parse-time.js';

export interface EventFlags {
  readonly account?: string;
  readonly event?: readonly string[];
  readonly id?: readonly string[];
  readonly conflicts?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly after?: number;
}

export function addEventFlags(command: Command): Command {
  return command
    .option('--account <name>', 'only deliveries to this account')
    .option('--event <name...>', 'only these events, named as they were sent')
    .option('--id <id...>', 'only events with these ids')
    .option('--conflicts', 'only events whose id was known with another body')
    .option('--from <time>', 'received from this day (São Paulo) or ISO time on')
    .option('--to <time>', 'received until this day (São Paulo, included) or before this ISO time')
    .option('--after <cursor>', 'only events after this cursor; 0 is the beginning', parseCursor);
}

export function eventFilter({ account, event, id, conflicts, from, to }: EventFlags): EventFilter {
  return {
    ...present({ account, events: event, ids: id, conflicts: conflicts === true ? true : undefined }),
    ...periodOf({ from, to }),
  };
}

function parseCursor(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('expected the cursor of an earlier page, or 0');
  return Number(text);
}
