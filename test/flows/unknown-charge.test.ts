import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { NOT_PARKED } from '../../src/protocol/index.js';
import { resumeFlow, settleCharge, wakeFlow } from '../../src/starters/index.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

const STEP = 'requestRefresh';

describe('a charged call whose end is unknown', () => {
  const flows = withFlows();
  const chargesOf = async (cnj: string): Promise<number> => (await flows.charges({ cnj })).length;
  /** A refresh whose answer is cut after the charge; parked for 20 s more by each further look that learns nothing. */
  const parkedFlow = async ({ documents = false, looks = 1 } = {}) => {
    const cnj = newCase();
    await flows.loseRefresh(looks);
    const handle = await flows.refresh({ cnj, documents });
    const progress = await flows.parked(handle.workflowId);
    const decide = (input: object) =>
      settleCharge(flows.client, handle.workflowId, { step: STEP, by: 'ana', ...input } as Parameters<
        typeof settleCharge
      >[2]);
    return { cnj, handle, progress, decide };
  };

  it('parks as unknown-charge: one charge, nothing repeated, findable by search attribute, with the choices in its details', async () => {
    const { cnj, handle, progress } = await parkedFlow({ looks: 2 });
    expect(progress).toMatchObject({ state: 'parked', attention: 'unknown-charge', spent: { known: '0', unknown: 1 } });
    expect(progress.steps).toMatchObject([{ step: STEP, outcome: 'UNKNOWN', amount: null }]);
    expect(await chargesOf(cnj)).toBe(1);
    const found = await until(
      async () => {
        for await (const run of flows.client.workflow.list({
          query: `TramitaAttention = "unknown-charge" AND TramitaCase = "${cnj}"`,
        }))
          return run;
        return undefined;
      },
      { what: 'the parked case by its search attributes' },
    );
    expect(found.workflowId).toBe(handle.workflowId);
    const metadata = await flows.client.workflow
      .getHandle(handle.workflowId)
      .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    expect(metadata.currentDetails).toContain('`not-charged`');
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen');
  });

  it('"not-charged" sends again under a new ordinal', async () => {
    const { cnj, handle, decide } = await parkedFlow();
    expect(await decide({ decision: 'not-charged', note: 'statement of today' })).toEqual({
      step: STEP,
      decision: 'not-charged',
    });
    const result = await handle.result();
    expect(result.receipts.map(({ outcome, amount }) => [outcome, amount])).toEqual([
      ['NOT_SENT', '0'],
      ['DONE', '0.1'],
    ]);
    expect(result.spent).toEqual({ known: '0.1', unknown: 0 });
    expect(await chargesOf(cnj)).toBe(2);
  });

  it('a decision about a charge never becomes one about the next charge of its step', async () => {
    const { cnj, handle, progress, decide } = await parkedFlow();
    const { intentId } = progress;
    // The next call of the step ends unknown as well.
    await flows.loseRefresh(3);
    const decision = { decision: 'not-charged', intentId };
    await decide(decision);
    const again = await until(
      async () => {
        const seen = await flows.progress(handle.workflowId);
        return seen.state === 'parked' && seen.intentId !== intentId ? seen : undefined;
      },
      { what: 'the flow parked on the next charge' },
    );
    for (const late of [decision, { decision: 'charged', intentId }]) {
      await expect(decide(late)).rejects.toMatchObject({
        cause: { type: NOT_PARKED, message: expect.stringContaining('is not parked; the parked charge is') as string },
      });
    }
    expect(await flows.progress(handle.workflowId)).toMatchObject({ state: 'parked', intentId: again.intentId });
    expect(await chargesOf(cnj)).toBe(2);
    await decide({ decision: 'abandon', intentId: again.intentId });
    expect(await failureOf(handle)).toMatchObject({ type: 'UnknownCharge' });
    expect(await chargesOf(cnj)).toBe(2);
  });

  it('"charged" with the request id polls its answer, free', async () => {
    const { cnj, handle, decide } = await parkedFlow();
    const requestId = (await flows.charges()).find(({ subject }) => subject.cnj === cnj)?.requestId;
    await decide({ decision: 'charged', requestId });
    const result = await handle.result();
    expect(result).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    expect(await chargesOf(cnj)).toBe(1);
  });

  it('"charged" with the request of another case is refused with the reason, and the flow stays parked', async () => {
    const theirs = newCase();
    await (await flows.refresh({ cnj: theirs })).result();
    const requestId = (await flows.charges()).find(({ subject }) => subject.cnj === theirs)?.requestId;
    const { handle, decide } = await parkedFlow({ looks: 2 });
    await expect(decide({ decision: 'charged', requestId })).rejects.toMatchObject({
      cause: {
        type: 'InvalidInput',
        message: expect.stringContaining('was given the request of another call') as string,
      },
    });
    await flows.parked(handle.workflowId);
    await decide({ decision: 'abandon' });
    expect(await failureOf(handle)).toMatchObject({ type: 'UnknownCharge' });
  });

  it('"charged" without a request id goes on by the status of the refresh', async () => {
    const { cnj, handle, decide } = await parkedFlow({ documents: true });
    await decide({ decision: 'charged' });
    const result = await handle.result();
    expect(result.status).toBe('done');
    expect(result.documents.length).toBe(result.documentCount);
    expect((await flows.charges({ cnj })).map(({ operation }) => operation)).toEqual([
      'requestRefresh',
      'listPublicDocuments',
    ]);
  });

  it('"abandon" ends as UnknownCharge and keeps the charge open in the books', async () => {
    const { cnj, handle, decide } = await parkedFlow();
    await decide({ decision: 'abandon' });
    const failure = await failureOf(handle);
    expect(failure).toMatchObject({ type: 'UnknownCharge', details: { spent: { known: '0', unknown: 1 } } });
    expect(await chargesOf(cnj)).toBe(1);
  });

  it.each([
    [{ step: 'listPublicDocuments/1', decision: 'abandon' }, 'is not parked', NOT_PARKED],
    [{ decision: 'refund' }, 'decision must be one of', 'InvalidInput'],
    [{ decision: 'charged', requestId: 'x' }, 'requestId must be a UUID', 'InvalidInput'],
    [{ decision: 'abandon', by: '' }, 'by must be', 'InvalidInput'],
  ])('a decision like %j is refused and changes nothing', async (input, problem, type) => {
    const { handle, decide } = await parkedFlow();
    await expect(decide(input)).rejects.toMatchObject({
      cause: { type, message: expect.stringContaining(problem) as string },
    });
    // A decision that belongs elsewhere is told by its type; so is a resume that nothing here waits for.
    await expect(resumeFlow(flows.client, handle.workflowId, { by: 'ana' })).rejects.toMatchObject({
      cause: { type: NOT_PARKED, message: expect.stringContaining('resume is not what "unknown-charge"') as string },
    });
    expect((await flows.progress(handle.workflowId)).state).toBe('parked');
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen');
  });

  it('a decision is refused while nothing is parked', async () => {
    await flows.fault({ operation: 'getRequest', fault: 'status', status: 503, body: 'gateway', times: 3 });
    const handle = await flows.refresh({ cnj: newCase() });
    await expect(
      settleCharge(flows.client, handle.workflowId, { step: STEP, decision: 'abandon', by: 'ana' }),
    ).rejects.toMatchObject({
      cause: { type: NOT_PARKED, message: expect.stringContaining('nothing is parked') as string },
    });
    await handle.result();
  });

  it('a paid answer that is cut parks as charged-lost', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'listPublicDocuments', fault: 'F6' });
    const handle = await flows.refresh({ cnj, documents: true });
    const progress = await flows.parked(handle.workflowId);
    expect(progress).toMatchObject({ attention: 'charged-lost', spent: { known: '0.1', unknown: 1 } });
    const decide = (decision: string) =>
      settleCharge(flows.client, handle.workflowId, {
        step: 'listPublicDocuments/1',
        decision: decision as 'abandon',
        by: 'ana',
      });
    await expect(decide('charged')).rejects.toMatchObject({
      cause: { message: expect.stringContaining('requestId') as string },
    });
    await decide('abandon');
    expect(await failureOf(handle)).toMatchObject({
      type: 'ChargedLost',
      details: { receipts: [{ outcome: 'DONE' }, { outcome: 'CHARGED_LOST' }] },
    });
    expect(await chargesOf(cnj)).toBe(2);
  });

  it('an equal call of another flow parks on the same charge and ends with its decision', async () => {
    const { cnj, handle, decide } = await parkedFlow({ looks: 2 });
    const other = await flows.refresh({ cnj }, { workflowId: `other-${cnj}` });
    expect(await flows.parked(other.workflowId)).toMatchObject({ attention: 'unknown-charge' });
    const requestId = (await flows.charges()).find(({ subject }) => subject.cnj === cnj)?.requestId;
    await decide({ decision: 'charged', requestId });
    const [first, second] = await Promise.all([handle.result(), other.result()]);
    expect(first).toMatchObject({ reused: false, spent: { known: '0.1', unknown: 0 } });
    expect(second).toMatchObject({ reused: true, spent: { known: '0', unknown: 0 } });
    expect(await chargesOf(cnj)).toBe(1);
  });

  it('a final refusal of accepted work ends the flow with its type: nothing is ever sent again', async () => {
    const cnj = newCase();
    await flows.fault({
      operation: 'getRequest',
      fault: 'status',
      status: 422,
      body: { error: { code: 'CASE_SEALED', message: 'x' }, meta: { searchLogId: 's', creditsCharged: 0.1 } },
    });
    const failure = await failureOf(await flows.refresh({ cnj }));
    expect(failure).toMatchObject({ type: 'Rejected', details: { status: 422, errorCode: 'CASE_SEALED' } });
    expect(failure.details.spent).toEqual({ known: '0.1', unknown: 0 });
    expect(await chargesOf(cnj)).toBe(1);
  });

  it('a decision that comes while the flow looks again is not lost', async () => {
    // A look that ended before the decision comes would find the refresh itself.
    const { handle, decide } = await parkedFlow({ looks: 2 });
    const signals = Array.from({ length: 5 }, () => wakeFlow(flows.client, handle.workflowId));
    await Promise.all([...signals, decide({ decision: 'not-charged' })]);
    expect((await handle.result()).status).toBe('done');
  });
});
