import { randomUUID } from 'node:crypto';
import { createWorker } from '../../src/workers/index.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { until } from '../support/until.js';
import { VALID, jsonPayload, payloadOf, validInput, type Payload } from './hostile-payloads.js';
import { temporal, withFlows } from './with-flows.js';

const CNJ = '1000001-51.2026.8.26.0100';
const SET = '00000000-0000-4000-8000-000000000000';
const quiet = (): void => undefined;
const QUIET = { info: quiet, warn: quiet, error: quiet };

describe('a run with bad input', () => {
  const flows = withFlows();

  /** Sends payloads as they are and everything else as JSON. */
  const start = async (type: string, args: readonly unknown[]) => {
    const workflowId = `raw-${randomUUID()}`;
    const payloads = args.map((arg) => (isPayload(arg) ? arg : jsonPayload(arg)));
    await flows.client.workflowService.startWorkflowExecution({
      namespace: 'default',
      workflowId,
      requestId: randomUUID(),
      workflowType: { name: type },
      taskQueue: { name: flows.taskQueue },
      input: { payloads },
    });
    return flows.client.workflow.getHandle(workflowId);
  };

  it.each([
    ['no input', undefined, 'one JSON object'],
    ['null', null, 'one JSON object'],
    ['a string', CNJ, 'one JSON object'],
    ['a list', [CNJ], 'one JSON object'],
    ['an unknown member', { cnj: CNJ, docs: true }, 'docs'],
    ['a wrong check digit', { cnj: '1000001-15.2026.8.26.0100' }, '51'],
    ['a bad shape', { cnj: '100000151.2026.8.26.0100A' }, 'input.cnj'],
    ['the probe number', { cnj: '0000000-00.0000.0.00.0000' }, 'input.cnj'],
    ['a bad amount', { cnj: CNJ, maxSpend: '1,50' }, 'input.maxSpend'],
    ['a bad duration', { cnj: CNJ, maxAge: 'a week' }, 'input.maxAge'],
    [
      'a CPF in a key',
      { cnj: CNJ, once: 'client 529.982.247-25' },
      'input.once contains what looks like a CPF or CNPJ',
    ],
    ['an account that is not configured', { cnj: CNJ, account: 'other' }, 'configured accounts: default'],
  ])('fails as InvalidInput: %s', async (_what, input, names) => {
    const failure = await failureOf(await flows.startPlain('refreshCase', input));
    expect(failure.type).toBe('InvalidInput');
    expect(failure.message).toContain(names);
    expect(failure.details).toMatchObject({ spent: { known: '0', unknown: 0 }, receipts: [] });
  });

  it.each([
    ['deactivateMonitor', '{"kind":"administrative","id":9007199254740993}', 'input.id must be text'],
    [
      'callOperation',
      '{"operation":"getElectoralPublication","params":{"id":9007199254740993}}',
      'input.params.id must be text',
    ],
    [
      'createRadar',
      '{"reference":"r","definition":{"orgaos":[1,12345678901234567891]}}',
      'input.definition.orgaos.1 must',
    ],
    ['ensureNoticeMonitor', '{"oabs":["SP:123456"],"origins":[9007199254740993]}', 'input.origins.0 must be text'],
    [
      'createRadar',
      '{"reference":"r","definition":{"termo":"a","__proto__":{}}}',
      'input.definition.__proto__ is a name',
    ],
  ])('fails for a number that JSON has rounded or a name that no reader keeps: %s %s', async (type, json, names) => {
    const failure = await failureOf(await start(type, [payloadOf('json/plain', Buffer.from(json))]));
    expect(failure).toMatchObject({ type: 'InvalidInput', details: { spent: { known: '0', unknown: 0 } } });
    expect(failure.message).toContain(names);
  });

  it.each(Object.keys(VALID))('fails for a second argument to %s', async (type) => {
    const state = { paidChecks: 1, allowed: 9, restarts: 0, lastPurchaseMs: 0, provisionalSet: SET, records: [] };
    const cursor = { page: 2, target: '/api/v1/financial/balance' };
    for (const second of [null, {}, { ...state, staging: { setId: SET, version: null, pages: 1, cursor } }]) {
      const failure = await failureOf(await start(type, [validInput(type), second]));
      expect(failure).toMatchObject({ type: 'InvalidInput', details: { spent: { known: '0' } } });
      expect(failure.message).toContain('started with 2 arguments');
    }
  });

  it('does not trust a second argument when a retry repeats the start', async () => {
    // The first run times out before any worker sees it, so the second run follows another one.
    const taskQueue = `${flows.taskQueue}-nobody`;
    const handle = await flows.client.workflow.start('importLawyerCases', {
      taskQueue,
      workflowId: `retried-${flows.taskQueue}`,
      args: [{ oab: 'SP:123456', maxSpend: '0' }, { paidChecks: 99 }],
      workflowRunTimeout: '15s',
      retry: { maximumAttempts: 2, initialInterval: '1s' },
    });
    const worker = await createWorker({
      config: { ...flows.config, taskQueue },
      temporal: temporal(),
      log: QUIET,
    });
    const second = await until(
      async () => {
        const { runId } = await handle.describe();
        return runId === handle.firstExecutionRunId ? undefined : runId;
      },
      { what: 'the second run' },
    );
    const running = worker.run();
    await flows.client.workflow
      .getHandle(handle.workflowId, second)
      .result()
      .catch(() => undefined);
    worker.shutdown();
    await running;
    const { events = [] } = await flows.client.workflow.getHandle(handle.workflowId, second).fetchHistory();
    expect(
      (events ?? []).filter(({ workflowTaskFailedEventAttributes: failed }) => failed !== undefined && failed !== null),
    ).toEqual([]);
    expect(JSON.stringify(events)).not.toContain('listLawyerCases/100');
  });

  it.each([
    ['json/protobuf', '{"cnj":"1"}', 'this worker reads json/plain only'],
    ['binary/encrypted', 'x', 'this worker has no key that can read it'],
    ['binary/plain', 'x', 'binary/plain'],
    ['json/plain', '{"cnj":', 'it is not JSON'],
    ['json/plain', '', 'without data'],
    ['', '{}', 'names no encoding'],
    ['json/plain', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, 'levels deep'],
  ])('fails for input of encoding %s with data %.20s', async (encoding, data, names) => {
    const failure = await failureOf(await start('refreshCase', [payloadOf(encoding, Buffer.from(data))]));
    expect(failure.type).toBe('InvalidInput');
    expect(failure.message).toContain('input cannot be decoded');
    expect(failure.message).toContain(names);
  });

  it('fails for half a character in a member, without repeating the task', async () => {
    const failure = await failureOf(await start('refreshCase', [{ ['\ud800']: '\udc00', cnj: CNJ }]));
    expect(failure.type).toBe('InvalidInput');
  });

  it('fails under a cron schedule', async () => {
    const handle = await flows.client.workflow.start('refreshCase', {
      taskQueue: flows.taskQueue,
      workflowId: `cron-${flows.taskQueue}`,
      args: [{ cnj: CNJ }],
      cronSchedule: '@every 1s',
    });
    // The server starts the next cron run however this one ended, so the first run's own history is read.
    const failure = await until(
      async () => {
        const { events } = await flows.client.workflow
          .getHandle(handle.workflowId, handle.firstExecutionRunId)
          .fetchHistory();
        return events?.at(-1)?.workflowExecutionFailedEventAttributes?.failure ?? undefined;
      },
      { what: 'the first cron run to fail' },
    );
    expect(failure.applicationFailureInfo).toMatchObject({ type: 'InvalidInput', nonRetryable: true });
    // This is the failure as the server stores it. With keys (`npm run test:encrypted`) the message is inside a payload.
    const isEncrypted = process.env['TRAMITA_TEST_PAYLOAD_KEYS'] !== undefined;
    expect(failure.message).toContain(isEncrypted ? 'Encoded failure' : 'Temporal Schedule');
    await flows.client.workflow.getHandle(handle.workflowId).terminate('end of the test');
  });

  it('fails for an unknown workflow type and names the known types', async () => {
    const failure = await failureOf(await flows.startPlain('refreshCases', { cnj: CNJ }));
    expect(failure.type).toBe('InvalidInput');
    expect(failure.message).toContain('known types are refreshCase');
    const personal = await failureOf(await flows.startPlain('52998224725', { cnj: CNJ, account: '52998224725' }));
    expect(JSON.stringify([personal.message, personal.details])).not.toContain('52998224725');
  });

  it.each(['constructor', 'hasOwnProperty', 'toString', '__defineGetter__', '__proto__', 'default'])(
    'fails for the type %s, which every object has as a member',
    async (type) => {
      const failure = await failureOf(await flows.startPlain(type, { cnj: CNJ }));
      expect(failure.type).toBe('InvalidInput');
      expect(failure.message).toContain('known types are refreshCase');
    },
  );

  it('is not started by the typed starter', async () => {
    await expect(flows.refresh({ cnj: '1' })).rejects.toMatchObject({ type: 'InvalidInput' });
  });

  it('has sent no request and caused no charge in all of these tests', async () => {
    expect(await flows.charges()).toEqual([]);
    expect(await flows.requests()).toEqual([]);
  });
});

describe('a key that the service refuses', () => {
  describe.each([
    ['wrong-key-of-the-tests', 'Unauthorized', 401],
    ['forbidden-key', 'Forbidden', 403],
    ['empty-key', 'InsufficientBalance', 402],
  ])('%s', (key, type, status) => {
    const flows = withFlows({ env: { TRAMITA_API_KEY: key } });

    it(`ends the run at once as ${type}, uncharged`, async () => {
      const failure = await failureOf(await flows.refresh({ cnj: newCase() }));
      expect(failure).toMatchObject({ type, details: { status, spent: { known: '0', unknown: 0 } } });
      expect(failure.message).not.toContain(key);
      expect(await flows.charges()).toEqual([]);
    });
  });
});

function isPayload(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && 'metadata' in value && 'data' in value;
}
