/** The ledger loses rows of running flows. Nothing is paid twice, and every flow goes on or asks a person. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { startReadCase, settleCharge } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

describe('a flow whose ledger rows are lost', () => {
  // Long enough for a row to be seen pending, also when this process pauses for some seconds.
  const flows = withFlows({ sandbox: { refreshMs: 6_000 } });
  const rowsOf = async (workflowId: string) => {
    const { rows } = await sql<{ intent_id: string; state: string; evidence: { witness?: string } | null }>`
      select intent_id, state, evidence from tramita.intent where workflow_id = ${workflowId} order by seq`.execute(
      flows.database.db,
    );
    return rows;
  };
  const rowIn = (workflowId: string, state: string) =>
    until(async () => (await rowsOf(workflowId)).find((row) => row.state === state), {
      // The hold from the previous test may still be in force.
      withinMs: 100_000,
      what: `a row that is ${state}`,
    });
  const forget = (workflowId: string) =>
    sql`delete from tramita.intent where workflow_id = ${workflowId}`.execute(flows.database.db);
  const loseFolder = async () => {
    await rm(join(flows.config.filesDir, 'journal'), { recursive: true, force: true, maxRetries: 5 });
    await rm(join(flows.config.filesDir, 'spool'), { recursive: true, force: true, maxRetries: 5 });
    // A person has dismissed the journal, knowing that the folder is gone.
    await sql`update tramita.ledger_journal set dismissed_by = 'ana'`.execute(flows.database.db);
  };
  const paid = async (cnj: string) =>
    (await flows.charges()).filter(({ subject, operation }) => subject.cnj === cnj && operation === 'requestRefresh')
      .length;
  const wake = (workflowId: string) => flows.client.workflow.getHandle(workflowId).signal('wake', {});

  it('goes on with pending work that a journal restores', async () => {
    const cnj = newCase();
    const handle = await flows.refresh({ cnj });
    await rowIn(handle.workflowId, 'pending');
    await forget(handle.workflowId);
    expect(await handle.result()).toMatchObject({ status: 'done' });
    expect(await paid(cnj)).toBe(1);
    expect(await rowsOf(handle.workflowId)).toMatchObject([{ state: 'done' }]);
  });

  it('goes on with pending work that only the flow remembers', async () => {
    const cnj = newCase();
    const handle = await flows.refresh({ cnj });
    await rowIn(handle.workflowId, 'pending');
    await loseFolder();
    await forget(handle.workflowId);
    expect(await handle.result()).toMatchObject({ status: 'done' });
    expect(await paid(cnj)).toBe(1);
    expect(await rowsOf(handle.workflowId)).toMatchObject([{ state: 'done', evidence: { witness: 'flow' } }]);
  });

  it('parks an unknown charge as ledger-lost, never as not sent, and lets a person decide', async () => {
    const cnj = newCase();
    await flows.loseRefresh(cnj);
    const handle = await flows.refresh({ cnj });
    expect(await flows.parked(handle.workflowId)).toMatchObject({ attention: 'unknown-charge' });
    await loseFolder();
    await forget(handle.workflowId);
    await wake(handle.workflowId);
    await until(async () => (await flows.progress(handle.workflowId)).attention === 'ledger-lost' || undefined, {
      withinMs: 150_000,
      what: 'the attention ledger-lost',
    });
    expect(await paid(cnj)).toBe(1);
    await settleCharge(flows.client, handle.workflowId, { step: 'requestRefresh', decision: 'abandon', by: 'ana' });
    expect(await failureOf(handle)).toMatchObject({ type: 'UnknownCharge' });
    expect(await paid(cnj)).toBe(1);
  });

  it('settles an answer whose row was lost while the call was under way', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'getCase', fault: 'F7', ms: 4_000 });
    const handle = await startReadCase(flows.deps, { cnj, include: ['cover'] });
    await rowIn(handle.workflowId, 'open');
    await forget(handle.workflowId);
    expect((await handle.result()).cover).toBeDefined();
    expect(
      (await flows.charges()).filter(({ subject, operation }) => subject.cnj === cnj && operation === 'getCase'),
    ).toHaveLength(1);
    expect(await rowsOf(handle.workflowId)).toMatchObject([{ state: 'done' }]);
  });

  it('is joined by an equal flow, which pays nothing, once its row is restored', async () => {
    const cnj = newCase();
    const first = await flows.refresh({ cnj });
    await rowIn(first.workflowId, 'pending');
    await forget(first.workflowId);
    const second = await flows.startPlain('refreshCase', { cnj });
    expect(await second.result()).toMatchObject({ status: 'done' });
    expect(await first.result()).toMatchObject({ status: 'done' });
    expect(await paid(cnj)).toBe(1);
  });
});
