/** One planned night → its stored list and a Temporal Schedule that fires once, at two in the morning of São Paulo. Pure. */
import type { ScheduleOptions } from '@temporalio/client';
import type { PortfolioNights } from '../../planning/index.js';
import { readSchedule } from './schedule-options.js';

type PlannedNight = PortfolioNights['nights'][number];

/** The cap of the civil day is unspent then, and the sweep ends on the day on which it begins. */
const HOUR = 2;

/** Prefix of the names of all schedules of a list. */
export function nightsPrefix(account: string, list: string): string {
  return `plan.${account}.${list}.`;
}

export function nightListOf(list: string, night: string): string {
  return `${list}.${night}`;
}

/** @throws a usage error if the schedule would be invalid. */
export function nightSchedule(plan: {
  readonly account: string;
  readonly list: string;
  readonly night: PlannedNight;
  readonly documents: boolean;
  readonly taskQueue: string;
}): { readonly name: string; readonly options: Omit<ScheduleOptions, 'scheduleId'> } {
  const { account, list, night, documents, taskQueue } = plan;
  const [year = '', month = '', day = ''] = night.night.split('-');
  const cron = `0 ${HOUR} ${Number(day)} ${Number(month)} *`;
  const name = nightsPrefix(account, list) + night.night;
  // With `once` a repeated start pays nothing again; with `maxAge` a refresh of the last 24 hours is not bought again.
  const once = `night ${night.night}`;
  const input = { account, name: nightListOf(list, night.night), maxSpend: night.cost, maxAge: '24h', once, documents };
  const { spec, state, ...options } = readSchedule({
    name,
    flow: 'refreshPortfolio',
    taskQueue,
    flags: { input: JSON.stringify(input), cron, jitter: '5m', catchUp: '3h' },
  });
  return {
    name,
    options: {
      ...options,
      // The sixth field is the year: it never comes again.
      spec: { ...spec, cronExpressions: [`${cron} ${year}`] },
      state: { ...state, remainingActions: 1, note: `${night.cases.length} cases, at most ${night.cost}` },
    },
  };
}
