/** `schemas/`: made from the current types and input readers, equal to what the flows accept, true of all recorded payloads. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from '../../src/cli/program.js';
import { FAILURE_TYPES, FLOWS, WORKFLOW_TYPES, type WorkflowType } from '../../src/protocol/index.js';
import { problemsBy, readSchema, SCHEMAS } from '../support/schemas.js';
import { DOCUMENTS, REPOSITORY } from './read-docs.js';

interface InputSchema {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
}

const UUID = '3d1c8a52-9f0e-4c1b-8a77-2f6f5f0d4c11';
const CNJ = '1000001-51.2026.8.26.0100';

/** The smallest input of each flow, and one with every member that is the flow's own. */
const INPUTS: Readonly<Record<WorkflowType, readonly [smallest: object, fullest: object]>> = {
  refreshCase: [
    { cnj: CNJ },
    { cnj: '10000015120268260100', documents: true, maxPages: 3, download: true, relist: true },
  ],
  refreshPortfolio: [{ name: 'monday' }, { name: 'monday', cases: [CNJ], concurrency: 2, documents: true }],
  callOperation: [
    { operation: 'getCase' },
    { operation: 'getCase', params: { cnj: CNJ, ids: [1, 'a'] }, body: { a: [null] } },
  ],
  collectPages: [
    { operation: 'searchTerm', maxPages: 3 },
    { operation: 'searchTerm', params: { q: 'x' }, maxPages: 3 },
  ],
  readCase: [
    { cnj: CNJ, include: ['cover'] },
    { cnj: CNJ, include: ['documents', 'cover'], maxPages: 2, relist: true },
  ],
  summarizeCase: [{ cnj: CNJ }, { cnj: CNJ }],
  awaitRequest: [{ requestId: UUID }, { requestId: UUID }],
  searchBoard: [
    { from: '2026-08-15', to: '2026-08-30', maxPages: 6 },
    { from: '2026-08-15', to: '2026-08-30', maxPages: 6, filters: { courts: ['TSE', 'TRE-SP'], party: 'x' } },
  ],
  importLawyerCases: [{ oab: 'SP:123456' }, { oab: 'SP:123456', pageSize: 50, maxPaidChecks: 2 }],
  syncNotices: [{ oabs: ['SP:123456'] }, { oabs: ['SP:123456'], since: '2026-03-01', fullText: true }],
  ensureNoticeMonitor: [
    { oabs: ['SP:123456'] },
    { oabs: ['SP:123456'], terms: ['x'], origins: ['a', 5], webhookUrl: 'https://hooks.example/x' },
  ],
  createRadar: [
    { reference: 'acme', definition: { q: 'x' } },
    { reference: 'acme', definition: { q: 'x' }, webhookUrl: 'https://hooks.example/x' },
  ],
  createCaseMonitor: [
    { reference: 'acme', definition: { q: 'x' } },
    { reference: 'acme', definition: { q: 'x' }, webhookUrl: 'https://hooks.example/x' },
  ],
  deactivateMonitor: [
    { kind: 'radar', id: 'm-1' },
    { kind: 'radar', id: 'm-1' },
  ],
  auditMonitors: [{}, {}],
};
const COMMON = { account: 'second', maxSpend: '2.50', webhook: '10m', maxAge: '24h', once: 'order-1' };

/** Values that are wrong for most members. */
const WRONG_VALUES: readonly unknown[] = [
  ...[null, 0, 1, -1, 1.5, 501, 100_000, true, '', ' ', 'x', '2,50', '1w', '2026-02-30x', 'x'.repeat(3_000)],
  ...[[], [null], [''], ['x'], [1], {}, { x: 1 }, { webhook_url: 'x' }, { courts: [] }, { party: '' }, { nobody: 'x' }],
];

const forEachFlow = it.each([...WORKFLOW_TYPES]);
const inputProblems = (type: WorkflowType, input: unknown): readonly string[] =>
  problemsBy(`${type}.input.json`, input);

describe('schemas/', () => {
  it('is up to date with the types and the input readers', () => {
    const script = join(REPOSITORY, 'scripts', 'make-schemas.cjs');
    const { stderr, status } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });

  it('covers every flow and every failure type', () => {
    expect(Object.keys(SCHEMAS.flows)).toEqual([...WORKFLOW_TYPES]);
    expect(SCHEMAS.failure.types).toEqual([...FAILURE_TYPES]);
  });

  it('describes every member', () => {
    const bare = readdirSync(join(REPOSITORY, 'schemas'))
      .filter((file) => file !== 'index.json')
      .flatMap((file) => withoutDescription(readSchema(file)).map((member) => `${file}: ${member}`));
    expect(bare).toEqual([]);
  });
});

describe('the input schema', () => {
  forEachFlow('of %s accepts what the flow accepts', (type) => {
    for (const input of [...INPUTS[type], { ...INPUTS[type][1], ...COMMON }]) {
      expect({ input, ...FLOWS[type].parse(input) }).toMatchObject({ ok: true });
      expect(inputProblems(type, input)).toEqual([]);
    }
  });

  forEachFlow('of %s accepts the example in docs/flows.md', (type) => {
    const sections = (DOCUMENTS.get(join('docs', 'flows.md')) ?? '').split(/^## /m);
    const section = sections.find((text) => text.split('\n')[0]?.includes(`\`${type}\``)) ?? '';
    const [, json = ''] = /```json\n([^`]+)```/.exec(section) ?? [];
    expect(inputProblems(type, JSON.parse(json))).toEqual([]);
  });

  forEachFlow('of %s has the members that the flow has, and requires those that the flow requires', (type) => {
    const { properties, required = [] } = readSchema(`${type}.input.json`) as InputSchema;
    expect(Object.keys(properties)).toEqual(Object.keys(FLOWS[type].members));
    for (const [name, value] of Object.entries(INPUTS[type][0])) {
      const { [name]: _left, ...rest } = { ...INPUTS[type][0], [name]: value as unknown };
      expect({ name, required: required.includes(name) }).toEqual({ name, required: true });
      expect({ name, ok: FLOWS[type].parse(rest).ok }).toEqual({ name, ok: false });
    }
    expect([...required].sort()).toEqual(Object.keys(INPUTS[type][0]).sort());
  });

  forEachFlow('of %s accepts nothing that the flow refuses, except by rules about several members', (type) => {
    const names = Object.keys(FLOWS[type].members);
    expect(inputProblems(type, { ...INPUTS[type][1], nobody: 1 })).not.toEqual([]);
    for (const name of names) {
      for (const value of WRONG_VALUES) {
        const input = { ...INPUTS[type][1], [name]: value };
        const parsed = FLOWS[type].parse(input);
        if (parsed.ok || inputProblems(type, input).length > 0) continue;
        expect(parsed.problem).toMatch(/needs "|must be a UUID/);
      }
    }
  });
});

describe('recorded payloads', () => {
  const recorded = readdirSync(join(REPOSITORY, 'test', 'replay', 'histories')).flatMap((name) => payloadsIn(name));

  it('cover more than 20 schemas', () => {
    expect(new Set(recorded.map(({ file }) => file)).size).toBeGreaterThan(20);
  });

  it('are valid by their schemas', () => {
    const wrong = recorded.map(({ name, file, value }) => ({ name, file, problems: problemsBy(file, value) }));
    expect(wrong.filter(({ problems }) => problems.length > 0)).toEqual([]);
  });
});

describe('tramita schema', () => {
  const print = async (...args: readonly string[]): Promise<{ code: number; out: string; err: string }> => {
    const printed = { out: '', err: '' };
    const out = (text: string): void => void (printed.out += text);
    const err = (text: string): void => void (printed.err += text);
    const code = await runCli(['schema', ...args], { env: {}, cwd: REPOSITORY, out, err, isTerminal: false });
    return { code, ...printed };
  };

  it.each([
    [['refreshCase'], 'refreshCase.input.json'],
    [['refreshCase', '--input'], 'refreshCase.input.json'],
    [['refreshCase', '--result'], 'refreshCase.result.json'],
    [['refreshCase', '--failure'], 'failure.json'],
    [['progress'], 'progress.result.json'],
    [['settleCharge', '--result'], 'settleCharge.result.json'],
    [[], 'index.json'],
  ])('with the arguments %j prints %s', async (args, file) => {
    const { code, out } = await print(...args);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual(readSchema(file));
  });

  it.each([
    [['refreshcase'], 'known: auditMonitors,'],
    [['wake', '--result'], 'wake has no result'],
    [['wake', '--result', '--input'], 'are three schemas'],
  ])('refuses the arguments %j: %s', async (args, expected) => {
    const { code, err } = await print(...args);
    expect(code).toBe(2);
    expect(err).toContain(expected);
  });
});

interface RecordedPayload {
  readonly name: string;
  readonly file: string;
  readonly value: unknown;
}
interface Payloads {
  readonly payloads?: readonly { readonly data?: string }[];
}

/** The inputs, results, failures, signals and updates of a recorded history, each with its schema. */
function payloadsIn(name: string): readonly RecordedPayload[] {
  const text = readFileSync(join(REPOSITORY, 'test', 'replay', 'histories', name), 'utf8');
  const { history } = JSON.parse(text) as { history: { events: readonly Record<string, never>[] } };
  const recorded: RecordedPayload[] = [];
  const add = (file: string, payloads: Payloads | undefined): void => {
    for (const { data } of payloads?.payloads ?? []) {
      if (data !== undefined)
        recorded.push({ name, file, value: JSON.parse(Buffer.from(data, 'base64').toString('utf8')) });
    }
  };
  const at = (event: object, ...path: readonly string[]): unknown =>
    path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], event);
  const isContinued = (event: object): boolean =>
    Boolean(at(event, 'workflowExecutionStartedEventAttributes', 'continuedExecutionRunId'));
  const updates = new Map<unknown, string>();
  let type = '';
  for (const event of history.events) {
    const started = at(event, 'workflowExecutionStartedEventAttributes');
    if (started !== undefined)
      type = at(event, 'workflowExecutionStartedEventAttributes', 'workflowType', 'name') as string;
    // The input of a continued run also has its state, and one history was recorded with a wrong input on purpose.
    const isInput = started !== undefined && !isContinued(event) && !name.includes('invalid-input');
    if (isInput) add(`${type}.input.json`, at(event, 'workflowExecutionStartedEventAttributes', 'input') as Payloads);
    add(`${type}.result.json`, at(event, 'workflowExecutionCompletedEventAttributes', 'result') as Payloads);
    const failure = ['workflowExecutionFailedEventAttributes', 'failure', 'applicationFailureInfo', 'details'];
    add('failure.json', at(event, ...failure) as Payloads);
    const signal = at(event, 'workflowExecutionSignaledEventAttributes', 'signalName');
    if (signal === 'wake')
      add('wake.input.json', at(event, 'workflowExecutionSignaledEventAttributes', 'input') as Payloads);
    const accepted = 'workflowExecutionUpdateAcceptedEventAttributes';
    const update = at(event, accepted, 'acceptedRequest', 'input', 'name') as string | undefined;
    if (update !== undefined) {
      updates.set(at(event, accepted, 'protocolInstanceId'), update);
      add(`${update}.input.json`, at(event, accepted, 'acceptedRequest', 'input', 'args') as Payloads);
    }
    const completed = 'workflowExecutionUpdateCompletedEventAttributes';
    const answered = updates.get(at(event, completed, 'meta', 'updateId')) ?? '';
    if (answered !== '') add(`${answered}.result.json`, at(event, completed, 'outcome', 'success') as Payloads);
  }
  return recorded;
}

/** Members without a description, by their path. */
function withoutDescription(schema: unknown, path = ''): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    const isMembers = key === 'properties' && typeof value === 'object' && value !== null && !path.includes('allOf');
    const here = isMembers
      ? Object.entries(value).flatMap(([name, each]: [string, unknown]) =>
          (each as { description?: string }).description === undefined ? [`${path}.${name}`] : [],
        )
      : [];
    return [...here, ...withoutDescription(value, `${path}.${key}`)];
  });
}
