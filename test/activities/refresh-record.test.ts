/** A status record that names the request of another refresh of ours. */
import { randomUUID } from 'node:crypto';
import { newCase } from '../support/case-number.js';
import { sendJson } from '../../soak/loopback.js';
import { charge, look, newCall, resolveUnknown } from './calls.js';
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
  let url: string;

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
    url = await world.serve((request, answer) => {
      const send = (status: number, data: object): void => sendJson(answer, status, { data, meta: {} });
      if (request.method === 'POST') {
        if (begun === 'lost') request.socket.destroy();
        else send(202, begun === 'without an id' ? {} : { requestId });
      } else if (request.url?.includes('status-atualizacao') === true) send(200, record());
      else if (request.url?.endsWith(requestId) === true) send(200, final);
      else answer.writeHead(404).end();
    });
  });

  const depsOf = () => world.depsAt(url);
  const refresh = async (cnj: string, how: Begun, flags: readonly 'documents'[] = []) => {
    begun = how;
    const call = newCall('requestRefresh', { params: { cnj }, flags });
    return { call, outcome: await charge(depsOf(), call) };
  };
  const stateAfterLook = async ({ call, outcome }: Awaited<ReturnType<typeof refresh>>) => {
    await look(depsOf(), call, outcome);
    return (await depsOf().ledger.find(outcome.intentId ?? ''))?.state;
  };

  it('ends the refresh that it names', async () => {
    expect(await stateAfterLook(await refresh(newCase(), 'with its id'))).toBe('done');
  });

  it('does not end a later refresh that has no id', async () => {
    const cnj = newCase();
    await stateAfterLook(await refresh(cnj, 'with its id'));
    expect(await stateAfterLook(await refresh(cnj, 'without an id'))).toBe('pending');
  });

  it('is no evidence of a later refresh that was lost', async () => {
    const cnj = newCase();
    await stateAfterLook(await refresh(cnj, 'with its id'));
    const { call, outcome } = await refresh(cnj, 'lost');
    expect(outcome.outcome).toBe('UNKNOWN');
    expect(await resolveUnknown(depsOf(), call)).toMatchObject({
      outcome: 'UNKNOWN',
      looked: expect.stringContaining('the request of another refresh') as string,
    });
    const row = await depsOf().ledger.find(outcome.intentId ?? '');
    expect(row).toMatchObject({ state: 'unknown', requestId: null });
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
    expect(await stateAfterLook(first)).toBe('pending');
    record = () => ({ status: name, requestId: laterId });
    expect(await stateAfterLook(first)).toBe('done');
  });
});
