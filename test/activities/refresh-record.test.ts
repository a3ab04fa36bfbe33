/** A status record that names the request of another refresh of ours. */
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

type Begun = 'with its id' | 'without an id' | 'lost';

describe('the record of another refresh', () => {
  const world = withActivities();
  const earlier = randomUUID();
  const name = 'SUCESSO';
  let begun: Begun;
  /** The id of the next request, and what the service shows of the case and of a request that has ended. */
  let requestId: string;
  let record: () => object;
  let final: object;
  let service: Server;

  /** Its time is later than that of a new refresh. */
  const recordCheckedAgain = (): object => ({
    status: name,
    requestId: earlier,
    data_ultima_verificacao: new Date(Date.now() + 5_000).toISOString(),
  });
  beforeEach(() => {
    requestId = earlier;
    record = recordCheckedAgain;
    final = { status: name };
  });
  beforeAll(async () => {
    service = createServer((request, answer) => {
      const send = (status: number, data: object): void => {
        answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ data, meta: {} }));
      };
      if (request.method === 'POST') {
        if (begun === 'lost') request.socket.destroy();
        else send(202, begun === 'without an id' ? {} : { requestId });
      } else if (request.url?.includes('status-atualizacao') === true) send(200, record());
      else if (request.url?.endsWith(requestId) === true) send(200, final);
      else answer.writeHead(404).end();
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => service.close(resolve)));

  const depsOf = () => world.depsAt(`http://127.0.0.1:${(service.address() as AddressInfo).port}`);
  const refresh = async (cnj: string, how: Begun, flags: readonly 'documents'[] = []) => {
    begun = how;
    const run = { workflowId: `refresh/${randomUUID()}`, firstRunId: randomUUID(), workflowType: 'refreshCase' };
    const call = { account: 'default', params: { cnj } };
    const input = { ...run, ...call, step: 'requestRefresh', ordinal: 1, flags };
    const attempt = { attempt: 1, attemptToken: randomUUID() };
    const outcome = (await runChargedCall(depsOf(), 'requestRefresh', input, attempt)) as CallOutcome;
    return { outcome, input: { ...input, operation: 'requestRefresh', intentId: outcome.intentId ?? '' } };
  };
  type Refresh = Awaited<ReturnType<typeof refresh>>;
  const look = async ({ input }: Refresh) => {
    const asker = {
      signal: AbortSignal.timeout(10_000),
      workflowId: input.workflowId,
      errors: createErrorFinals(),
    };
    await awaitFinal(depsOf(), { ...input, sinceMs: Date.now() }, asker).catch(() => undefined);
    return (await depsOf().ledger.find(input.intentId))?.state;
  };

  it('ends the refresh that it names', async () => {
    expect(await look(await refresh(newCase(), 'with its id'))).toBe('done');
  });

  it('does not end a later refresh that has no id', async () => {
    const cnj = newCase();
    await look(await refresh(cnj, 'with its id'));
    expect(await look(await refresh(cnj, 'without an id'))).toBe('pending');
  });

  it('is no evidence of a later refresh that was lost', async () => {
    const cnj = newCase();
    await look(await refresh(cnj, 'with its id'));
    const { outcome, input } = await refresh(cnj, 'lost');
    expect(outcome.outcome).toBe('UNKNOWN');
    expect(await resolveUnknown(depsOf(), input)).toMatchObject({
      outcome: 'UNKNOWN',
      looked: expect.stringContaining('the request of another refresh') as string,
    });
    expect(await depsOf().ledger.find(input.intentId)).toMatchObject({ state: 'unknown', requestId: null });
  });

  it('of ours that began later ends one whose request has ended without a status', async () => {
    const cnj = newCase();
    final = { finalizado: true };
    record = () => ({ status: name });
    const first = await refresh(cnj, 'with its id');
    const firstId = requestId;
    requestId = randomUUID();
    await refresh(cnj, 'with its id', ['documents']);
    const laterId = requestId;
    requestId = firstId;
    record = () => ({ status: name, requestId: randomUUID() });
    expect(await look(first)).toBe('pending');
    record = () => ({ status: name, requestId: laterId });
    expect(await look(first)).toBe('done');
  });
});
