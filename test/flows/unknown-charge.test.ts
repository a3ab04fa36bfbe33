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
  const detailsOf = async (workflowId: string): Promise<string | undefined> =>
    (
      await flows.client.workflow
        .getHandle(workflowId)
        .query<{ currentDetails?: string }>('__temporal_workflow_metadata')
    ).currentDetails;
  /** Parks a refresh whose answer is cut after the charge. `looks`: so many find nothing; otherwise none ever does. */
  const parkedFlow = async ({ documents = false, looks }: { documents?: boolean; looks?: number } = {}) => {
    const cnj = newCase();
    await flows.loseRefresh(cnj, looks);
    const handle = await flows.refresh({ cnj, documents });
    const progress = await flows.parked(handle.workflowId);
    const decide = (input: object) =>
      settleCharge(flows.client, handle.workflowId, { step: STEP, by: 'ana', ...input } as Parameters<
        typeof settleCharge
      >[2]);
    return { cnj, handle, progress, decide };
  };

  it('parks its flow as unknown-charge, findable by search attribute and with the choices in its details', async () => {
    const { cnj, handle, progress } = await parkedFlow();
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
    const details = await detailsOf(handle.workflowId);
    expect(details).toMatch(/- `not-charged`: .* if it was charged after all, paid twice/);
    expect(details).toContain('the flow ends as `UnknownCharge` at ');
    expect(details).toContain('our ledger (undecided, 0.5 reserved)');
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen');
  });

  it('is sent again under a new ordinal when settled as "not-charged"', async () => {
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

  it('counts what a 5xx has reported in the flow as in the ledger, also after "not-charged"', async () => {
    const cnj = newCase();
    const body = { error: { code: 'INTERNAL' }, meta: { creditsCharged: 0.3, requestId: 'meta-1' } };
    await flows.fault({ operation: 'requestRefresh', fault: 'status', status: 500, body, cnj });
    const handle = await flows.refresh({ cnj });
    expect(await flows.parked(handle.workflowId)).toMatchObject({
      attention: 'unknown-charge',
      spent: { known: '0.3', unknown: 0 },
    });
    expect(await detailsOf(handle.workflowId)).toMatch(
      /- `not-charged`: .* charged once more; the 0\.3 that the service has reported/,
    );
    await settleCharge(flows.client, handle.workflowId, { step: STEP, decision: 'not-charged', by: 'ana' });
    const result = await handle.result();
    expect(result.receipts.map(({ outcome, amount }) => [outcome, amount])).toEqual([
      ['NOT_SENT', '0.3'],
      ['DONE', '0.1'],
    ]);
    const rows = await flows.database.db
      .selectFrom('tramita.intent')
      .select('charged')
      .where('workflow_id', '=', handle.workflowId)
      .execute();
    expect(rows.reduce((sum, { charged }) => sum + Number(charged), 0)).toBe(4_000);
    expect(result.spent).toEqual({ known: '0.4', unknown: 0 });
  });

  it('is not settled by a late decision about the charge before it', async () => {
    const { cnj, handle, progress, decide } = await parkedFlow();
    const { intentId } = progress;
    // The next call of the step ends unknown as well.
    await flows.loseRefresh(cnj);
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

  it('is polled for free when settled as "charged" with its request id', async () => {
    const { cnj, handle, decide } = await parkedFlow();
    const requestId = (await flows.charges()).find(({ subject }) => subject.cnj === cnj)?.requestId;
    await decide({ decision: 'charged', requestId });
    const result = await handle.result();
    expect(result).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    expect(await chargesOf(cnj)).toBe(1);
  });

  it('stays parked when settled as "charged" with the request id of another case', async () => {
    const theirs = newCase();
    await (await flows.refresh({ cnj: theirs })).result();
    const requestId = (await flows.charges()).find(({ subject }) => subject.cnj === theirs)?.requestId;
    const { handle, decide } = await parkedFlow();
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

  it('goes on by the status of the refresh when settled as "charged" without a request id', async () => {
    // The polls meet the looks that are left.
    const { cnj, handle, decide } = await parkedFlow({ documents: true, looks: 4 });
    await decide({ decision: 'charged' });
    const result = await handle.result();
    expect(result.status).toBe('done');
    expect(result.documents.length).toBe(result.documentCount);
    expect((await flows.charges({ cnj })).map(({ operation }) => operation)).toEqual([
      'requestRefresh',
      'listPublicDocuments',
    ]);
  });

  it('ends its flow as UnknownCharge and still counts as unknown when settled as "abandon"', async () => {
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
  ])('stays parked after a refused decision like %j', async (input, problem, type) => {
    const { handle, decide } = await parkedFlow();
    await expect(decide(input)).rejects.toMatchObject({
      cause: { type, message: expect.stringContaining(problem) as string },
    });
    // The type of the error names a decision that belongs elsewhere, and also a resume that nothing here waits for.
    await expect(resumeFlow(flows.client, handle.workflowId, { by: 'ana' })).rejects.toMatchObject({
      cause: { type: NOT_PARKED, message: expect.stringContaining('resume is not what "unknown-charge"') as string },
    });
    expect((await flows.progress(handle.workflowId)).state).toBe('parked');
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen');
  });

  it('cannot be settled while nothing is parked', async () => {
    await flows.fault({ operation: 'getRequest', fault: 'status', status: 503, body: 'gateway', times: 3 });
    const handle = await flows.refresh({ cnj: newCase() });
    await expect(
      settleCharge(flows.client, handle.workflowId, { step: STEP, decision: 'abandon', by: 'ana' }),
    ).rejects.toMatchObject({
      cause: { type: NOT_PARKED, message: expect.stringContaining('nothing is parked') as string },
    });
    await handle.result();
  });

  it('parks its flow as charged-lost when a paid answer is cut', async () => {
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

  it('parks an equal call of another flow too, which ends with the same decision', async () => {
    const { cnj, handle, decide } = await parkedFlow();
    const other = await flows.refresh({ cnj }, { workflowId: `other-${cnj}` });
    expect(await flows.parked(other.workflowId)).toMatchObject({ attention: 'unknown-charge' });
    expect(await detailsOf(other.workflowId)).toContain(
      `an equal call of another flow, \`${handle.workflowId}\`, sent `,
    );
    const requestId = (await flows.charges()).find(({ subject }) => subject.cnj === cnj)?.requestId;
    await decide({ decision: 'charged', requestId });
    const [first, second] = await Promise.all([handle.result(), other.result()]);
    expect(first).toMatchObject({ reused: false, spent: { known: '0.1', unknown: 0 } });
    expect(second).toMatchObject({ reused: true, spent: { known: '0', unknown: 0 } });
    expect(await chargesOf(cnj)).toBe(1);
    expect(await detailsOf(other.workflowId)).toContain(
      `**DONE**, charged 0, request ${requestId}, a call of \`${handle.workflowId}\``,
    );
    expect(await detailsOf(handle.workflowId)).not.toContain('a call of');
  });

  it('names the flow that made the call in the failure of another flow that waited for it', async () => {
    const { cnj, handle, decide } = await parkedFlow();
    const other = await flows.refresh({ cnj }, { workflowId: `other-${cnj}` });
    await flows.parked(other.workflowId);
    await decide({ decision: 'abandon' });
    const failure = await failureOf(other);
    expect(failure).toMatchObject({ type: 'UnknownCharge' });
    expect(failure.message).toContain(`POST refresh, a call of "${handle.workflowId}", was abandoned by a person`);
  });

  it('ends its flow as Rejected when accepted work is refused in the end, and is never sent again', async () => {
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

  it('is settled by a decision that comes while the flow looks again', async () => {
    const { handle, decide } = await parkedFlow();
    const signals = Array.from({ length: 5 }, () => wakeFlow(flows.client, handle.workflowId));
    await Promise.all([...signals, decide({ decision: 'not-charged' })]);
    expect((await handle.result()).status).toBe('done');
  });
});
