/** A worker dies between the spool and the ledger: the answer is settled by another one, and its records are written too. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { runChargedCall } from '../../src/activities/charged-call.js';
import { settleWholeSpool, type ActivityDeps } from '../../src/activities/index.js';
import { resolveUnknown } from '../../src/activities/resolve-unknown.js';
import { settleFromSpool } from '../../src/activities/settle-from-spool.js';
import { resolveConfig } from '../../src/config/index.js';
import type { ChargedCallInput } from '../../src/protocol/index.js';
import { startSandbox, type Sandbox } from '../../sandbox/index.js';
import { buildActivityDeps } from '../../src/workers/build-deps.js';
import { newCase } from '../support/case-number.js';
import { withDatabase } from '../support/database.js';
import { until } from '../support/until.js';

const database = withDatabase();
describe('records of an answer that another worker settles', () => {
  let sandbox: Sandbox;
  let deps: ActivityDeps;
  let dir: string;

  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0 });
    dir = mkdtempSync(join(tmpdir(), 'tramita-records-'));
    const config = resolveConfig({
      env: {
        TRAMITA_API_URL: sandbox.url,
        TRAMITA_API_KEY: 'sandbox-key',
        TRAMITA_DATABASE_URL: database.url,
        TRAMITA_ID_KEY: 'id-key-of-the-tests-0123456789abcdef',
        TRAMITA_FILES_DIR: dir,
      },
    });
    const silent = (): void => undefined;
    deps = buildActivityDeps({
      config,
      db: database.db,
      log: { info: silent, warn: silent, error: silent },
      client: undefined as never,
      wake: () => Promise.resolve(),
      eventsFor: () => Promise.resolve([]),
      waitFor: () => Promise.resolve(),
    });
  }, 30_000);

  afterAll(async () => {
    for (const { client } of deps.accounts.values()) client.close();
    await sandbox.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** The call of a worker that never comes back from the spool. Returns the row's id. */
  async function dieAfterSpool(input: ChargedCallInput): Promise<string> {
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
    const { rows } = await sql`select 1 from tramita.legal_case where cnj = ${cnj}`.execute(database.db);
    return rows.length;
  }

  it('are written by the flow that asks for the answer in the spool', async () => {
    const input = inputFor(newCase());
    const intentId = await dieAfterSpool(input);
    expect(await recorded(String(input.params['cnj']))).toBe(0);
    await settleWholeSpool(deps);
    expect(await settleFromSpool(deps, { ...input, operation: 'getCase', intentId })).toMatchObject({
      outcome: 'DONE',
    });
    expect(await recorded(String(input.params['cnj']))).toBe(1);
  });

  it('are written by the resolver, where the activity died without telling the row', async () => {
    const input = inputFor(newCase());
    await dieAfterSpool(input);
    await settleWholeSpool(deps);
    expect(await resolveUnknown(deps, { ...input, operation: 'getCase' })).toMatchObject({ outcome: 'DONE' });
    expect(await recorded(String(input.params['cnj']))).toBe(1);
  });
});
