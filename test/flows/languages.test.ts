/**
 * The callers in `examples/` against a live stack. Runs only by `npm run test:languages`, which builds a Python environment and
 * a Go program in the cache, once.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { newCase } from '../support/case-number.js';
import { describeLanguages, type Program } from '../support/example-programs.js';
import { problemsBy } from '../support/schemas.js';
import { until } from '../support/until.js';
import { FLOWS, WORKFLOW_TYPES, type WorkflowType } from '../../src/protocol/index.js';
import { withFlows, type Flows } from './with-flows.js';

const REPOSITORY = join(__dirname, '..', '..');
/** Longer than any flow of this test: one that takes longer waits for something that does not come. */
const ANSWERS_WITHIN_MS = 45_000;

interface Failed {
  readonly type: string;
  readonly message: string;
  readonly details: unknown;
}
/** One line of an example's output. */
interface Answer {
  readonly started?: string;
  readonly refused?: readonly string[];
  readonly result?: unknown;
  readonly progress?: { readonly state: string };
  readonly answer?: unknown;
  readonly failed?: Failed;
}
type Call = (call: Readonly<Record<string, unknown>>) => Promise<Answer>;

/** Names of filters that the interface does not show. */
const FILTERS = { searchElectoralBoard: { from: 'data_inicio', to: 'data_fim' } };

/** A valid input of every flow, with data that the sandbox has. */
async function inputs(flows: Flows): Promise<Readonly<Record<WorkflowType, object>>> {
  const { id } = await flows.control<{ readonly id: string }>('/monitors', { nup: '08000.000123/2026-04' });
  const cnj = newCase();
  return {
    refreshCase: { cnj, documents: true },
    refreshPortfolio: { name: `list-${randomBytes(4).toString('hex')}`, cases: [newCase(), newCase()] },
    callOperation: { operation: 'getCase', params: { cnj } },
    collectPages: { operation: 'listMovements', params: { cnj, limit: 2 }, maxPages: 2 },
    readCase: { cnj, include: ['cover', 'movements'] },
    summarizeCase: { cnj: newCase() },
    awaitRequest: { requestId: await flows.post(`processos/cnj/${newCase()}/solicitar-atualizacao`) },
    searchBoard: { from: '2026-09-01', to: '2026-09-10', maxPages: 6 },
    importLawyerCases: { oab: 'SP:123456', pageSize: 50 },
    syncNotices: { oabs: ['SP:123456'] },
    ensureNoticeMonitor: { oabs: ['RJ:123456'], terms: ['Acme'] },
    createRadar: { reference: `radar-${randomBytes(4).toString('hex')}`, definition: { termo: 'Acme' } },
    createCaseMonitor: {
      reference: `case-${randomBytes(4).toString('hex')}`,
      definition: { numero_cnj: cnj, frequencia: 'DIARIA' },
    },
    deactivateMonitor: { kind: 'administrative', id },
    auditMonitors: {},
  };
}

const WRONG: readonly (readonly [type: WorkflowType, input: object, expected: string])[] = [
  ['refreshCase', {}, 'input.cnj is missing'],
  ['refreshCase', { cnj: '1000001-51.2026.8.26.0100', document: true }, 'unknown member "document"'],
  ['refreshCase', { cnj: '1000001-51.2026.8.26.0100', maxSpend: 2 }, 'input.maxSpend must be a decimal string'],
  ['readCase', { cnj: '1000001-51.2026.8.26.0100', include: ['all'] }, 'input.include must be a list of what to read'],
  ['collectPages', { operation: 'searchTerm' }, 'input.maxPages is missing'],
];

describeLanguages('a caller', { python: 'tramita_caller.py', go: '.' }, (language, program) => {
  const flows = withFlows({ sandbox: { coverageMs: 0 }, settings: { gaps: { filters: FILTERS } } });
  const call = withCaller(program, flows);
  const newId = (): string => `${language}-${randomBytes(6).toString('hex')}`;

  it('starts every flow with inputs and gets results that match the schemas', async () => {
    const given = await inputs(flows);
    const ids = new Map<WorkflowType, string>();
    for (const flow of WORKFLOW_TYPES) {
      const id = newId();
      ids.set(flow, id);
      expect(problemsBy(`${flow}.input.json`, given[flow])).toEqual([]);
      expect(await call({ do: 'start', flow, id, input: given[flow] })).toEqual({ started: id });
    }
    const ends = [];
    for (const [flow, id] of ids) {
      const { result, failed } = await call({ do: 'result', flow, id });
      ends.push({ flow, failed, problems: problemsBy(`${flow}.result.json`, result) });
    }
    expect(ends).toEqual(WORKFLOW_TYPES.map((flow) => ({ flow, failed: undefined, problems: [] })));
  });

  const waitForState = async (id: string, state: string): Promise<void> => {
    const progress = await until(
      async () => {
        const answer = await call({ do: 'progress', id });
        return answer.progress?.state === state ? answer.progress : undefined;
      },
      { what: `${id} to be ${state}` },
    );
    expect(problemsBy('progress.result.json', progress)).toEqual([]);
  };

  it('queries the progress of a flow and sends a person’s decision', async () => {
    const cnj = newCase();
    await flows.loseRefresh(cnj);
    const id = newId();
    await call({ do: 'start', flow: 'refreshCase', id, input: { cnj } });
    await waitForState(id, 'parked');
    const wrong = { step: 'readSummary', decision: 'abandon', by: 'ana' };
    expect((await call({ do: 'settleCharge', id, input: wrong })).failed).toMatchObject({ type: 'NotParked' });
    expect((await call({ do: 'resume', id, input: { by: 'ana' } })).failed).toMatchObject({ type: 'NotParked' });
    const decision = { step: 'requestRefresh', decision: 'abandon', by: 'ana' };
    const { answer } = await call({ do: 'settleCharge', id, input: decision });
    expect(answer).toEqual({ step: 'requestRefresh', decision: 'abandon' });
    expect(problemsBy('settleCharge.result.json', answer)).toEqual([]);
    const { failed } = await call({ do: 'result', id });
    expect(failed).toMatchObject({ type: 'UnknownCharge', details: { spent: { unknown: 1 } } });
    expect(problemsBy('failure.json', failed?.details)).toEqual([]);
  });

  it('wakes a flow that waits an hour for the webhook', async () => {
    const id = newId();
    await call({ do: 'start', flow: 'refreshCase', id, input: { cnj: newCase(), webhook: '1h' } });
    await waitForState(id, 'waiting');
    expect(await call({ do: 'wake', id, input: { reason: 'seen at the service' } })).toEqual({ woken: id });
    const { result } = await call({ do: 'result', id });
    expect(result).toMatchObject({ status: 'done' });
  });

  it.each(WRONG)('has %s with %j refused by the schema and by the flow itself', async (flow, input, expected) => {
    const { refused = [] } = await call({ do: 'start', flow, id: newId(), input });
    expect(refused.length).toBeGreaterThan(0);
    const id = newId();
    await call({ do: 'start', flow, id, input, check: false });
    const { failed } = await call({ do: 'result', id });
    const parsed = FLOWS[flow].parse(input);
    const problem = parsed.ok ? 'nothing is wrong' : parsed.problem;
    expect(problem).toContain(expected);
    expect(failed).toEqual({
      type: 'InvalidInput',
      message: `tramita: ${problem}. Nothing was sent`,
      details: { account: 'default', receipts: [], spent: { known: '0', unknown: 0 } },
    });
  });
});

/** Runs an example, which answers each line with a line. If it does not answer, it is killed and the next call starts another. */
function withCaller(program: Program, flows: Flows): Call {
  let running: ReturnType<typeof startCaller> | undefined;
  afterAll(async () => {
    if (running === undefined) return;
    const { child } = running;
    child.stdin.end();
    await until(() => child.exitCode ?? child.signalCode ?? undefined, { what: 'the caller to end' });
  });
  return async (line) => {
    running ??= startCaller(program, flows.taskQueue);
    const { child, answers, errorOutput } = running;
    const text = JSON.stringify(line);
    child.stdin.write(`${text}\n`);
    const deadline = setTimeout(() => child.kill('SIGKILL'), ANSWERS_WITHIN_MS);
    const next = await answers.next();
    clearTimeout(deadline);
    if (next.done !== true) return JSON.parse(next.value) as Answer;
    running = undefined;
    throw new Error(
      child.killed
        ? `no answer within ${ANSWERS_WITHIN_MS} ms to ${text}`
        : `the caller ended at ${text}: ${errorOutput.join('')}`,
    );
  };
}

function startCaller({ command, args }: Program, taskQueue: string) {
  const child = spawn(command, args, {
    env: {
      ...process.env,
      TEMPORAL_ADDRESS: process.env['TRAMITA_TEST_TEMPORAL_ADDRESS'],
      TRAMITA_TASK_QUEUE: taskQueue,
      SCHEMAS_DIR: join(REPOSITORY, 'schemas'),
    },
  });
  const errorOutput: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => errorOutput.push(text));
  return { child, errorOutput, answers: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}
