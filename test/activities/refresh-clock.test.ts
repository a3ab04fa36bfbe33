/** A status record whose time has no zone and is read in the wrong one: it is ahead of the service's own clock. */
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runChargedCall } from '../../src/activities/charged/charged-call.js';
import { awaitFinal } from '../../src/activities/polling/await-final.js';
import { createErrorFinals } from '../../src/activities/polling/error-finals.js';
import type { CallOutcome } from '../../src/protocol/index.js';
import { newCase } from '../support/case-number.js';
import { resolveUnknown } from './resolve-now.js';
import { withActivities } from './with-activities.js';

const HOUR_MS = 3_600_000;

describe('a status record from before the call whose time is read as hours later', () => {
  const realNow = Date.now;
  let offsetMs = 0;
  // This runs before the world opens, because its parts keep the clock that they find.
  beforeAll(() => void jest.spyOn(Date, 'now').mockImplementation(() => realNow() + offsetMs));
  afterAll(() => jest.restoreAllMocks());
  const world = withActivities();
  const refreshedAtMs = realNow() - HOUR_MS / 2;
  let begun: 'without an id' | 'lost';
  let service: Server;

  beforeAll(async () => {
    service = createServer((request, answer) => {
      const send = (status: number, data: object): void => {
        const date = new Date(Date.now()).toUTCString();
        answer.writeHead(status, { 'content-type': 'application/json', date }).end(JSON.stringify({ data, meta: {} }));
      };
      if (request.method === 'POST') {
        if (begun === 'lost') request.socket.destroy();
        else send(202, {});
      } else send(200, { status: 'SUCESSO', atualizado_em: new Date(refreshedAtMs).toISOString().slice(0, 19) });
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => service.close(resolve)));

  const depsOf = () => world.depsAt(`http://127.0.0.1:${(service.address() as AddressInfo).port}`);
  const refresh = async (how: typeof begun) => {
    begun = how;
    const run = { workflowId: `refresh/${randomUUID()}`, firstRunId: randomUUID(), workflowType: 'refreshCase' };
    const call = { account: 'default', params: { cnj: newCase() } };
    const input = { ...run, ...call, step: 'requestRefresh', ordinal: 1, flags: [] };
    const attempt = { attempt: 1, attemptToken: randomUUID() };
    const outcome = (await runChargedCall(depsOf(), 'requestRefresh', input, attempt)) as CallOutcome;
    return { outcome, input: { ...input, operation: 'requestRefresh', intentId: outcome.intentId ?? '' } };
  };

  it('does not end a refresh that has no id', async () => {
    const { input } = await refresh('without an id');
    const asker = { signal: AbortSignal.timeout(10_000), workflowId: input.workflowId, errors: createErrorFinals() };
    await awaitFinal(depsOf(), { ...input, sinceMs: Date.now() }, asker).catch(() => undefined);
    expect((await depsOf().ledger.find(input.intentId))?.state).toBe('pending');
  });

  it('is no evidence of a lost refresh, also when its time is no longer ahead', async () => {
    const { outcome, input } = await refresh('lost');
    expect(outcome.outcome).toBe('UNKNOWN');
    for (const laterMs of [0, 20_000, 4 * HOUR_MS]) {
      offsetMs += laterMs;
      expect(await resolveUnknown(depsOf(), input)).toMatchObject({
        outcome: 'UNKNOWN',
        looked: expect.stringContaining('ahead of the clock of the service') as string,
      });
    }
  });
});

describe('a service whose clock is ten minutes behind', () => {
  const world = withActivities();
  let endedAtMs: number | undefined;
  const serviceNow = (): number => Date.now() - 600_000;
  const service = createServer((request, answer) => {
    if (request.method === 'POST') {
      endedAtMs = serviceNow() + 2_000;
      request.socket.destroy();
      return;
    }
    const record = { status: 'SUCESSO', atualizado_em: new Date(endedAtMs ?? 0).toISOString() };
    answer
      .writeHead(200, { 'content-type': 'application/json', date: new Date(serviceNow()).toUTCString() })
      .end(JSON.stringify({ data: record, meta: {} }));
  });
  beforeAll(() => new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => service.close(resolve)));

  it('ends a refresh whose answer was lost, once its status proves that it was made', async () => {
    const deps = world.depsAt(`http://127.0.0.1:${(service.address() as AddressInfo).port}`);
    const run = { workflowId: `refresh/${randomUUID()}`, firstRunId: randomUUID(), workflowType: 'refreshCase' };
    const call = { ...run, account: 'default', params: { cnj: newCase() }, step: 'requestRefresh', ordinal: 1 };
    const attempt = { attempt: 1, attemptToken: randomUUID() };
    const lost = (await runChargedCall(deps, 'requestRefresh', { ...call, flags: [] }, attempt)) as CallOutcome;
    expect(lost.outcome).toBe('UNKNOWN');
    const input = { ...call, flags: [], operation: 'requestRefresh', intentId: lost.intentId ?? '' };
    expect(await resolveUnknown(deps, input)).toMatchObject({ outcome: 'PENDING' });
    const asker = { signal: AbortSignal.timeout(10_000), workflowId: run.workflowId, errors: createErrorFinals() };
    await awaitFinal(deps, { ...input, sinceMs: Date.now() }, asker).catch(() => undefined);
    expect(await deps.ledger.find(input.intentId)).toMatchObject({ state: 'done', finalState: 'done' });
  });
});
