/** Arguments of `schedule add` → options of a Temporal Schedule. Pure. */
import type { ScheduleOptions } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { MINUTE_MS, parseDurationMs, present } from '../../contract/index.js';
import { shownJson } from '../../contract/values/index.js';
import {
  exactProblem,
  FLOWS,
  idProblem,
  namesProblem,
  SEARCH_ATTRIBUTES,
  WORKFLOW_TYPES,
} from '../../protocol/index.js';
import { refuse, usageError } from '../exit-codes.js';
import { parseObject } from './json-object.js';

export interface ScheduleFlags {
  readonly input: string;
  readonly cron?: string;
  readonly every?: string;
  readonly jitter: string;
  readonly catchUp: string;
  readonly paused?: boolean;
}

/** Prefix of schedule ids. It cannot change: a schedule keeps the id with which it was added. */
export const SCHEDULE_PREFIX = 'tramita/';

export const SCHEDULED_TYPES = WORKFLOW_TYPES.filter((type) => FLOWS[type].scheduled);

const NAME = /^[A-Za-z0-9][\w.-]{0,79}$/;
const CRON = /^(\S+\s+){4}\S+$/;
const LEAST_CATCH_UP_MS = 10_000;
/** The zone of an account's civil day and of the courts. */
const TIME_ZONE = 'America/Sao_Paulo';

type Options = Omit<ScheduleOptions, 'scheduleId'> & { readonly action: { readonly workflowId?: string } };

/** @throws a usage error. */
export function readSchedule(request: {
  readonly name: string;
  readonly flow: string;
  readonly flags: ScheduleFlags;
  readonly taskQueue: string;
}): Options {
  const { name, flow, flags, taskQueue } = request;
  if (!NAME.test(name))
    throw usageError(`"${name}" cannot be the name of a schedule; use 1 to 80 letters, digits, ".", "-" or "_"`);
  const type = SCHEDULED_TYPES.find((known) => known === flow);
  if (type === undefined) throw usageError(`"${flow}" cannot be scheduled; known: ${SCHEDULED_TYPES.join(', ')}`);
  const read = parseObject(flags.input);
  if (!read.ok) throw usageError(`--input: expected one JSON object; ${read.problem}`);
  const input = read.value;
  const parsed = FLOWS[type].parse(input);
  if (!parsed.ok) throw usageError(parsed.problem);
  refuse(idProblem('the name of the schedule', name) ?? namesProblem(input) ?? exactProblem(input));
  return {
    ...readTimes(flags),
    action: {
      type: 'startWorkflow',
      workflowType: type,
      // Temporal adds the time of each start.
      workflowId: `schedule.${name}`,
      taskQueue,
      args: [input],
      staticSummary: `Scheduled as ${name}`,
      typedSearchAttributes: [
        { key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.flow, 'KEYWORD'), value: type },
        { key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.account, 'KEYWORD'), value: parsed.value.account },
      ],
    },
    state: { paused: flags.paused === true },
  };
}

/** When to start, and how late a missed start is made up for. */
function readTimes({ every, jitter, catchUp, ...flags }: ScheduleFlags): Pick<Options, 'spec' | 'policies'> {
  const cron = flags.cron?.trim();
  if ((cron === undefined) === (every === undefined)) throw usageError('give either --cron or --every');
  if (cron !== undefined && !CRON.test(cron))
    throw usageError(`--cron: seen ${shownJson(cron)}; expected five fields, like "0 6 * * 1-5"`);
  const everyMs = every === undefined ? undefined : (parseDurationMs(every) ?? 0);
  if (everyMs !== undefined && everyMs < MINUTE_MS) {
    throw usageError(
      `--every: seen ${shownJson(every)}; expected a duration of at least a minute, like "30m", "6h" or "1d"`,
    );
  }
  const jitterMs = parseDurationMs(jitter);
  if (jitterMs === undefined) throw usageError(`--jitter: seen ${shownJson(jitter)}; expected a duration, like "5m"`);
  const catchUpMs = parseDurationMs(catchUp);
  if (catchUpMs === undefined || catchUpMs < LEAST_CATCH_UP_MS) {
    throw usageError(`--catch-up: seen ${shownJson(catchUp)}; expected a duration of at least 10s, like "10m"`);
  }
  const when = present({
    cronExpressions: cron === undefined ? undefined : [cron],
    intervals: everyMs === undefined ? undefined : [{ every: everyMs }],
  });
  const spec = { ...when, jitter: jitterMs, timezone: TIME_ZONE };
  return { spec, policies: { overlap: 'SKIP', catchupWindow: catchUpMs } };
}
