/** Temporal for `tramita subject`: reads all runs and schedules of the namespace as decrypted texts; ends and deletes runs. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ScheduleDescription, WorkflowExecutionInfo } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';
import type { Config } from '../../config/index.js';
import type { FlowRun, Flows } from '../../privacy/index.js';
import { SEARCH_ATTRIBUTES, WORKFLOW_TYPES, type FailureType } from '../../protocol/index.js';
import { attributeOf, unlessGone } from '../../temporal-client/index.js';
import { failure } from '../exit-codes.js';
import { SCHEDULE_PREFIX } from '../input/schedule-options.js';
import { printable } from '../output/output.js';
import { nameOfHistory, openPayloads, readHistories, type FlowHistory } from '../with/histories.js';

/** How `unknownType` (src/workflows) refuses a run: the type of the failure, and the beginning of its message. */
const INVALID_INPUT: FailureType = 'InvalidInput';
const REFUSED_TYPE = 'unknown workflow type';

/**
 * Runs of our flows, and runs on our task queue that were refused before a search attribute could name them as ours: of an input
 * that is not accepted, with a cron schedule, or (among the failed ones) of a type that does not exist.
 */
function mayBeOurs(taskQueue: string): string {
  const types = WORKFLOW_TYPES.map((type) => `"${type}"`).join(', ');
  const refused = `WorkflowType IN (${types}) OR ExecutionStatus = "Failed"`;
  return `${SEARCH_ATTRIBUTES.flow} IS NOT NULL OR (TaskQueue = "${taskQueue}" AND (${refused}))`;
}

/** Workflows of a user's own programs are left to the user, those on our task queue too. */
function isNamedOurs(info: WorkflowExecutionInfo): boolean {
  return attributeOf(info, SEARCH_ATTRIBUTES.flow) !== null || isOurType(info.type);
}

function isOurType(type: string): boolean {
  return WORKFLOW_TYPES.some((known) => known === type);
}

/**
 * Schedules of a user's own programs are left to the user too, unless they start on our task queue. One of our flows counts on any
 * queue: its runs get our search attribute, the schedule does not.
 */
function startsOurs({ scheduleId, raw: { schedule } }: ScheduleDescription, taskQueue: string): boolean {
  const { taskQueue: to, workflowType } = schedule?.action?.startWorkflow ?? {};
  return scheduleId.startsWith(SCHEDULE_PREFIX) || to?.name === taskQueue || isOurType(workflowType?.name ?? '');
}

function isRefused({ history }: FlowHistory): boolean {
  const { failure: cause } = history.events?.at(-1)?.workflowExecutionFailedEventAttributes ?? {};
  return cause?.applicationFailureInfo?.type === INVALID_INPUT;
}

/** A cancelled flow with a worker ends within seconds; one without is terminated after this. */
const CANCEL_WITHIN_MS = 20_000;
const GONE_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 200;

export function createFlowsOfNamespace(client: Client, { taskQueue }: Pick<Config, 'taskQueue'>): Flows {
  const codecs = client.options.loadedDataConverter.payloadCodecs;
  const namespace = client.options.namespace;
  /** Undefined if the run is deleted. */
  const statusOf = async ({ workflowId, runId }: FlowRun) =>
    (await client.workflow.getHandle(workflowId, runId).describe().catch(unlessGone))?.status.name;
  const isGone = async (run: FlowRun): Promise<boolean> => (await statusOf(run)) === undefined;
  const hasEnded = async (run: FlowRun): Promise<boolean> => (await statusOf(run)) !== 'RUNNING';
  return {
    async *runs() {
      for await (const flow of readHistories(client, mayBeOurs(taskQueue))) {
        const { info, history } = flow;
        const isNamed = isNamedOurs(info);
        if (!isNamed && !isRefused(flow)) continue;
        const { workflowId, runId, type, status, raw } = info;
        const texts = [workflowId, ...(await textsOf([raw, history.events], codecs, nameOfHistory(info)))];
        if (!isNamed && !texts.some((text) => text.includes(REFUSED_TYPE))) continue;
        yield { workflowId, runId, type, isRunning: status.name === 'RUNNING', texts };
      }
    },
    async *schedules() {
      for await (const { scheduleId } of client.schedule.list()) {
        const schedule = await client.schedule.getHandle(scheduleId).describe().catch(unlessGone);
        if (schedule === undefined || !startsOurs(schedule, taskQueue)) continue;
        const of = `the schedule "${printable(scheduleId, Infinity)}"`;
        yield { name: scheduleId, texts: [scheduleId, ...(await textsOf(schedule.raw, codecs, of))] };
      }
    },
    async end(run) {
      const handle = client.workflow.getHandle(run.workflowId, run.runId);
      if (await hasEnded(run)) return;
      await handle.cancel().catch(unlessGone);
      if (await within(CANCEL_WITHIN_MS, () => hasEnded(run))) return;
      await handle.terminate('tramita subject erase --cancel').catch(unlessGone);
      if (!(await within(GONE_WITHIN_MS, () => hasEnded(run)))) {
        throw failure(`${run.workflowId} has not ended within ${GONE_WITHIN_MS / 1000} s; run the same command again`);
      }
    },
    async remove(run) {
      const { workflowId, runId } = run;
      await client.workflowService
        .deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } })
        .catch(unlessGone);
      // The server answers before it has deleted the run.
      if (!(await within(GONE_WITHIN_MS, () => isGone(run)))) {
        throw failure(
          `Temporal has not deleted ${workflowId} within ${GONE_WITHIN_MS / 1000} s; run the same command again`,
        );
      }
    },
    removeSchedule: async (name) => {
      await client.schedule.getHandle(name).delete().catch(unlessGone);
    },
  };
}

/** The decrypted data of all payloads, and every other text. */
async function textsOf(value: unknown, codecs: readonly PayloadCodec[], of: string): Promise<readonly string[]> {
  const [words, payloads]: [string[], Payload[]] = [[], []];
  collect(value, words, payloads);
  const opened = await openPayloads(codecs, payloads, of);
  return [...words, ...opened.map(({ data }) => Buffer.from(data ?? []).toString('utf8'))];
}

function collect(value: unknown, words: string[], payloads: Payload[]): void {
  if (typeof value === 'string') words.push(value);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  if ('metadata' in value && 'data' in value && typeof value.metadata === 'object' && value.metadata !== null) {
    payloads.push(value as Payload);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (key.length > LONGEST_NAME) words.push(key);
    collect(member, words, payloads);
  }
}

/** Keys up to this length are names of the protocol; a longer one may be a caller's, in a map. */
const LONGEST_NAME = 8;

async function within(ms: number, condition: () => Promise<boolean>): Promise<boolean> {
  const untilMs = Date.now() + ms;
  while (Date.now() < untilMs) {
    if (await condition()) return true;
    await sleep(LOOK_EVERY_MS);
  }
  return condition();
}
