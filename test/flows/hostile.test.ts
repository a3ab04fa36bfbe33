/**
 * Hostile clients: starts, signals, updates and queries of every form from one seed, sent raw as any client could, while
 * genuine flows wait. `TRAMITA_HOSTILE_STARTS` and `TRAMITA_HOSTILE_MESSAGES` set how many (`npm run test:hostile`),
 * `TRAMITA_HOSTILE_SEED` repeats a run.
 */
import { randomUUID } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import { sql } from 'kysely';
import { MEMO_INPUT_HASH, MEMO_SWEEP, WORKFLOW_TYPES } from '../../src/protocol/index.js';
import { createRandom, type Random } from '../../soak/random.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { until } from '../support/until.js';
import {
  forgedState,
  jsonPayload,
  junkPayload,
  payloadOf,
  spoiledInput,
  undecodablePayload,
  validInput,
  type Payload,
} from './hostile-payloads.js';
import { withFlows } from './with-flows.js';

const STARTS = Number(process.env['TRAMITA_HOSTILE_STARTS'] ?? 300);
const MESSAGES = Number(process.env['TRAMITA_HOSTILE_MESSAGES'] ?? 100);
const SEED = Number(process.env['TRAMITA_HOSTILE_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const AT_ONCE = 24;
/** The refresh of this case ends when the sandbox's clock has moved by an hour. */
const SLOW_CASE = '0600123-74.2024.6.26.0001';
const SLOW_MS = 3_600_000;
/** The deadline of one message, which queues behind 300 hostile starts at a worker with at most two processors. */
const HANGS_AFTER_MS = 120_000;
const NAMESPACE = 'default';
const { UpdateWorkflowExecutionLifecycleStage, WorkflowExecutionStatus } = temporal.api.enums.v1;
const RUNNING = WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING;
const COMPLETED = UpdateWorkflowExecutionLifecycleStage.UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED;

jest.setTimeout(STARTS > 300 ? 900_000 : 400_000);

interface Start {
  readonly type: string;
  readonly workflowId: string;
  readonly payloads: readonly Payload[];
  readonly memo?: Readonly<Record<string, Payload>>;
  readonly header?: Readonly<Record<string, Payload>>;
  readonly attributes?: Readonly<Record<string, Payload>>;
  /** The start cannot become a valid run, whatever its other members are. */
  readonly refused: boolean;
}

function generateStart(random: Random, n: number): Start {
  const type =
    random.integer(12) === 0
      ? random.pick(['refreshCases', 'constructor', '__proto__', 'default', 'x'.repeat(900)])
      : random.pick(WORKFLOW_TYPES);
  const valid = jsonPayload(validInput(type) ?? { cnj: newCase() });
  const id = random.integer(20) === 0 ? `hostile\u0000${n}-${SEED}` : `hostile-${SEED}-${n}`;
  const odd = random.integer(5) === 0;
  const extras = {
    ...(odd
      ? { memo: { [MEMO_SWEEP]: anyPayload(random), [MEMO_INPUT_HASH]: anyPayload(random), x: anyPayload(random) } }
      : {}),
    ...(odd ? { header: { _tracer: anyPayload(random), '': anyPayload(random) } } : {}),
  };
  const start = (payloads: readonly Payload[], refused: boolean): Start => ({
    type,
    workflowId: id,
    payloads,
    ...extras,
    refused: refused || validInput(type) === undefined || id.includes('\u0000'),
  });
  return random.pick<() => Start>([
    () => start([undecodablePayload(random)], true),
    () => start([undecodablePayload(random), undecodablePayload(random)], true),
    () => start([valid, undecodablePayload(random)], true),
    () => start([valid, jsonPayload(forgedState(random) ?? null)], true),
    () => start([valid, payloadOf('binary/null', new Uint8Array())], true),
    () => start([valid, ...Array.from({ length: 3 }, () => junkPayload(random))], true),
    () => start([payloadOf('binary/null', new Uint8Array())], true),
    () => start([], true),
    () => start([junkPayload(random)], false),
    () => start([spoiledInput(type, random)], false),
    () => start([spoiledInput(type, random)], false),
    () => ({ ...start([valid], false), attributes: { TramitaCase: attributePayload(random) } }),
  ])();
}

/** Values are short, because the server repeats a refused value in the header of its answer. */
function attributePayload(random: Random): Payload {
  return random.pick([
    payloadOf('binary/null', new Uint8Array()),
    jsonPayload('\ud800 \u0000 text'),
    jsonPayload(['a', 'b']),
    payloadOf('json/protobuf', Buffer.from('"x"')),
  ]);
}

function anyPayload(random: Random): Payload {
  return random.integer(2) === 0 ? undecodablePayload(random) : junkPayload(random);
}

describe('hostile starts and messages', () => {
  const flows = withFlows({
    sandbox: { slowRefreshMs: SLOW_MS },
    account: { requestsPerMinute: 60_000, concurrency: 20, outageAfter: 0 },
  });

  it(`end at once or are valid runs, repeat no task and disturb no other run (${STARTS} starts, ${MESSAGES} messages, seed ${SEED})`, async () => {
    const random = createRandom(SEED);
    const beganMs = Date.now();
    const genuine = await startGenuine();
    const chargedBefore = (await flows.charges()).length;
    const starts = Array.from({ length: STARTS }, (_none, n) => generateStart(random, n));
    const messages = Array.from({ length: MESSAGES }, () => createRandom(random.integer(2 ** 31)));
    const problems: string[] = [];
    const figures = { refusedByServer: 0, invalidInput: 0, otherEnds: 0, running: 0, answered: 0 };

    const started: Start[] = [];
    await inLanes([
      ...starts.map((each) => async () => {
        if (await startRaw(each)) started.push(each);
        else figures.refusedByServer += 1;
      }),
      ...messages.map((each) => async () => {
        const problem = await sendMessage(each, each.pick(genuine));
        if (problem === undefined) figures.answered += 1;
        else problems.push(problem);
      }),
    ]);

    const ends = new Map<string, string>();
    await inLanes(
      started.map((each) => async () => {
        const end = await endOf(each);
        ends.set(each.workflowId, end);
        if (end === 'InvalidInput') figures.invalidInput += 1;
        else if (end === 'running') figures.running += 1;
        else figures.otherEnds += 1;
        const subject = `${each.type} ${JSON.stringify(each.workflowId)} with ${shown(each)}`;
        if (each.refused && end !== 'InvalidInput') problems.push(`${subject}: ended ${end} instead of InvalidInput`);
        if (end.startsWith('stuck')) problems.push(`${subject}: ${end}`);
        const failures = await taskFailures(each.workflowId);
        if (failures !== '') problems.push(`${subject}: ${failures}`);
      }),
    );
    for (const workflowId of genuine) {
      const failures = await taskFailures(workflowId);
      if (failures !== '') problems.push(`genuine ${workflowId}: ${failures}`);
    }
    expect(problems).toEqual([]);

    // Only valid runs have sent requests to the service.
    const { rows } = await sql<{
      readonly workflow_id: string;
    }>`select distinct workflow_id from tramita.intent`.execute(flows.database.db);
    const unexpected = rows
      .map((row) => row.workflow_id)
      .filter((id) => !genuine.includes(id) && (ends.get(id) ?? 'InvalidInput') === 'InvalidInput')
      // A portfolio starts refreshes under their own ids.
      .filter((id) => !id.startsWith('refresh.'));
    expect(unexpected).toEqual([]);
    const [parked = '', slow = '', importing = ''] = genuine;
    expect(await flows.parked(parked)).toMatchObject({ attention: 'unknown-charge' });
    expect(await flows.progress(slow)).toMatchObject({ attention: null });
    expect(await flows.progress(importing)).toMatchObject({ state: 'waiting', attention: null });
    const dropped = await Promise.all(genuine.map(async (id) => (await flows.progress(id)).counts['undecodable'] ?? 0));
    expect(dropped.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);

    // The genuine flows end, and are charged only for their own calls.
    await flows.client.workflow.getHandle(parked).executeUpdate('settleCharge', {
      args: [{ step: 'requestRefresh', decision: 'abandon', by: 'ana' }],
    });
    expect(await failureOf(flows.client.workflow.getHandle(parked))).toMatchObject({ type: 'UnknownCharge' });
    await flows.control('/clock', { advanceMs: SLOW_MS + 1_000 });
    await flows.client.workflow
      .getHandle(slow)
      .signal('wake', { reason: 'the test' })
      .catch(() => undefined);
    expect(await flows.client.workflow.getHandle(slow).result()).toMatchObject({ status: 'done' });
    const bought = await sql<{ readonly n: string }>`
      select count(*) as n from tramita.intent where charged > 0 and workflow_id = any(${sql.val(genuine)})`.execute(
      flows.database.db,
    );
    expect(Number(bought.rows[0]?.n)).toBe(genuine.length - 1);
    for (const { workflowId } of started) {
      if (ends.get(workflowId) === 'running') {
        // It may have ended meanwhile.
        await flows.client.workflow
          .getHandle(workflowId)
          .terminate('end of the test')
          .catch(() => undefined);
      }
    }
    process.stderr.write(
      `hostile: ${STARTS} starts, ${MESSAGES} messages, seed ${SEED}, ${Math.round((Date.now() - beganMs) / 1_000)} s, ${JSON.stringify({ ...figures, dropped, chargesByValidRuns: (await flows.charges()).length - chargedBefore })}\n`,
    );
  });

  /** Starts three flows: one that parks, one that waits for its refresh, and one that waits for a complete list. */
  async function startGenuine(): Promise<readonly string[]> {
    // No look settles the charge, so the flow parks again after every hint.
    const lost = newCase();
    await flows.loseRefresh(lost);
    const parked = await flows.refresh({ cnj: lost, webhook: false });
    await flows.parked(parked.workflowId);
    const slow = await flows.refresh({ cnj: SLOW_CASE, webhook: '2h' });
    const importing = await flows.startPlain('importLawyerCases', { oab: 'SP:654321' });
    for (const { workflowId } of [slow, importing]) {
      await flows.waiting(workflowId);
    }
    return [parked.workflowId, slow.workflowId, importing.workflowId];
  }

  /** False when the server itself refuses the start. */
  async function startRaw({ type, workflowId, payloads, memo, header, attributes }: Start): Promise<boolean> {
    try {
      await flows.client.connection.withDeadline(Date.now() + HANGS_AFTER_MS, () =>
        flows.client.workflowService.startWorkflowExecution({
          namespace: NAMESPACE,
          workflowId,
          requestId: randomUUID(),
          identity: 'stranger',
          workflowType: { name: type },
          taskQueue: { name: flows.taskQueue },
          input: { payloads: [...payloads] },
          ...(memo === undefined ? {} : { memo: { fields: memo } }),
          ...(header === undefined ? {} : { header: { fields: header } }),
          ...(attributes === undefined ? {} : { searchAttributes: { indexedFields: attributes } }),
        }),
      );
      return true;
    } catch (error) {
      if (isInvalidArgument(error)) return false;
      throw error;
    }
  }

  /** The problem, or undefined when the message was accepted or answered as it should be. */
  async function sendMessage(random: Random, workflowId: string): Promise<string | undefined> {
    const execution = { workflowId };
    const payloads = Array.from({ length: random.integer(3) }, () => anyPayload(random));
    const common = { namespace: NAMESPACE, identity: 'stranger' };
    const { workflowService } = flows.client;
    const kind = random.pick(['signal', 'signal', 'update', 'query'] as const);
    const name = random.pick(
      {
        signal: ['wake', 'wake', 'wake', 'other', '__temporal_x', 'constructor'],
        update: ['settleCharge', 'resume', 'resume', 'other', 'toString'],
        query: ['progress', 'progress', 'other', '__stack_trace', '__temporal_workflow_metadata', 'valueOf'],
      }[kind],
    );
    try {
      switch (kind) {
        case 'signal':
          await workflowService.signalWorkflowExecution({
            ...common,
            workflowExecution: execution,
            signalName: name,
            input: { payloads },
            requestId: randomUUID(),
          });
          return undefined;
        case 'query': {
          await flows.client.connection.withDeadline(Date.now() + HANGS_AFTER_MS, () =>
            workflowService.queryWorkflow({
              ...common,
              execution,
              query: { queryType: name, queryArgs: { payloads } },
            }),
          );
          return undefined;
        }
        case 'update': {
          const request = {
            meta: { updateId: randomUUID(), identity: 'stranger' },
            input: { name, args: { payloads } },
          };
          const { failure } = await until(
            async () => {
              const { outcome } = await flows.client.connection.withDeadline(Date.now() + HANGS_AFTER_MS, () =>
                workflowService.updateWorkflowExecution({
                  namespace: NAMESPACE,
                  workflowExecution: execution,
                  waitPolicy: { lifecycleStage: COMPLETED },
                  request,
                }),
              );
              // After some 20 s the server answers without an outcome, so the same update is requested again.
              return outcome ?? undefined;
            },
            { withinMs: HANGS_AFTER_MS, what: 'its outcome' },
          );
          return failure === null || failure === undefined ? `update ${name} was not refused` : undefined;
        }
      }
    } catch (error) {
      // Code 3 is a refusal: a bad argument or a failed query. Code 4 is a deadline: the task hangs.
      return codeOf(error) === 3 ? undefined : `${kind} ${name} to ${workflowId}: ${String(error)}`;
    }
  }

  /** How the run ended, `running` when it waits or is parked, `stuck …` when it does none of these. */
  async function endOf({ workflowId }: Start): Promise<string> {
    try {
      return await until(
        async () => {
          // Raw, because `describe` of the client decodes the hostile memo.
          const { workflowExecutionInfo } = await flows.client.workflowService.describeWorkflowExecution({
            namespace: NAMESPACE,
            execution: { workflowId },
          });
          if (workflowExecutionInfo?.status !== RUNNING) return typeOfEnd(workflowId);
          const progress = await flows.progress(workflowId).catch(() => undefined);
          return progress !== undefined && ['waiting', 'parked'].includes(progress.state) ? 'running' : undefined;
        },
        { withinMs: HANGS_AFTER_MS, everyMs: 200, what: 'its end' },
      );
    } catch (error) {
      return `stuck: ${String(error)}`;
    }
  }

  async function typeOfEnd(workflowId: string): Promise<string> {
    const events = await historyOf(workflowId);
    const failure = events.at(-1)?.workflowExecutionFailedEventAttributes?.failure;
    return (
      failure?.applicationFailureInfo?.type ?? (failure === undefined || failure === null ? 'completed' : 'raw failure')
    );
  }

  /** Reads page by page: with hostile payloads a whole history is longer than an answer may be. */
  async function historyOf(workflowId: string): Promise<temporal.api.history.v1.IHistoryEvent[]> {
    const events: temporal.api.history.v1.IHistoryEvent[] = [];
    let token: Uint8Array | undefined;
    do {
      const page = await flows.client.workflowService.getWorkflowExecutionHistory({
        namespace: NAMESPACE,
        execution: { workflowId },
        maximumPageSize: 8,
        ...(token === undefined ? {} : { nextPageToken: token }),
      });
      events.push(...(page.history?.events ?? []));
      token = page.nextPageToken.length > 0 ? page.nextPageToken : undefined;
    } while (token !== undefined);
    return events;
  }

  async function taskFailures(workflowId: string): Promise<string> {
    const events = await historyOf(workflowId);
    return (
      events
        .map(({ workflowTaskFailedEventAttributes: failed }) => failed)
        // The server repeats a task that a signal overtook.
        .filter((failed) => failed !== null && failed !== undefined && failed.failure?.message !== 'UnhandledCommand')
        .map((failed) => `a task failed: ${String(failed?.failure?.message)}`)
        .join('; ')
    );
  }
});

async function inLanes(jobs: readonly (() => Promise<void>)[]): Promise<void> {
  const left = [...jobs];
  const lane = async (): Promise<void> => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) await job();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

function shown({ payloads, memo, attributes }: Start): string {
  const texts = payloads.map(
    ({ metadata, data }) =>
      `${Buffer.from(metadata?.['encoding'] ?? [])
        .toString()
        .slice(0, 30)}:${Buffer.from(data ?? [])
        .toString()
        .slice(0, 60)}`,
  );
  return `${JSON.stringify(texts)}${memo === undefined ? '' : ' and a memo'}${attributes === undefined ? '' : ' and attributes'}`;
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

function isInvalidArgument(error: unknown): boolean {
  return codeOf(error) === 3;
}
