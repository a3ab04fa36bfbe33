/** A worker dies between the spool and the ledger: the answer is settled by another one, and its records are written too. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { runChargedCall } from '../../src/activities/charged/charged-call.js';
import { settleWholeSpool, type ActivityDeps } from '../../src/activities/index.js';
import { resolveUnknown } from '../../src/activities/evidence/resolve-unknown.js';
import { storeSpooledAnswer } from '../../src/activities/charged/settle-from-spool.js';
import type { ChargedCallInput } from '../../src/protocol/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withActivities } from './with-activities.js';

describe('records of an answer that another worker settles', () => {
  const world = withActivities();

  /** The call of a worker that never comes back from the spool. Returns the row's id. */
  async function dieAfterSpool(input: ChargedCallInput): Promise<string> {
    const deps = world.deps();
    const dying: ActivityDeps = { ...deps, ledger: { ...deps.ledger, settle: () => new Promise(() => undefined) } };
    const ended = runChargedCall(dying, 'getCase', input, { attempt: 1, attemptToken: randomUUID() });
    const spooled = until(async () => (await deps.spool.list())[0], { what: 'the answer in the spool' });
    return Promise.race([
      spooled,
      ended.then((result) => {
        throw new Error(`the call was not to return: ${JSON.stringify(result)}`);
      }),
    ]);
  }

  /** The janitor, some time after the answer came. */
  const janitor = (ageMs: number): Promise<number> => {
    const { clock, ...deps } = world.deps();
    return settleWholeSpool({ ...deps, clock: { ...clock, nowMs: () => clock.nowMs() + ageMs } });
  };

  const inputFor = (cnj: string): ChargedCallInput => ({
    account: 'default',
    params: { cnj },
    flags: [],
    view: 'record',
    workflowId: `read/default/${cnj}`,
    firstRunId: randomUUID(),
    workflowType: 'readCase',
    step: 'case',
    ordinal: 1,
  });

  async function recorded(cnj: string): Promise<number> {
    const { rows } = await sql`select 1 from tramita.legal_case where cnj = ${cnj}`.execute(world.database.db);
    return rows.length;
  }

  it('are written by the flow that asks for the answer in the spool', async () => {
    const input = inputFor(newCase());
    const intentId = await dieAfterSpool(input);
    expect(await recorded(String(input.params['cnj']))).toBe(0);
    // So young an answer may still be settled by its own call.
    expect(await janitor(5_000)).toBe(0);
    expect(await janitor(16_000)).toBe(1);
    expect(await storeSpooledAnswer(world.deps(), { ...input, operation: 'getCase', intentId })).toMatchObject({
      outcome: 'DONE',
    });
    expect(await recorded(String(input.params['cnj']))).toBe(1);
  });

  it('are written by the resolver, where the activity died without telling the row', async () => {
    const input = inputFor(newCase());
    await dieAfterSpool(input);
    await janitor(16_000);
    expect(await resolveUnknown(world.deps(), { ...input, operation: 'getCase' })).toMatchObject({ outcome: 'DONE' });
    expect(await recorded(String(input.params['cnj']))).toBe(1);
  });
});
