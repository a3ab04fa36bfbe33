/** After a restore: the command hears the journal of its machine, even if no worker runs there. */
import { join } from 'node:path';
import { sql } from 'kysely';
import { createJournal } from '../../src/ledger/index.js';
import { withFlows } from '../flows/with-flows.js';
import { runCommand, type CommandRun } from './run-command.js';

describe('tramita ledger reconcile', () => {
  const flows = withFlows({ worker: false });
  const reconcile = (...args: string[]): Promise<CommandRun> =>
    runCommand(['ledger', 'reconcile', '--no-histories', ...args], flows.env);

  it('hears the journal of this machine with --yes, and ends the hold', async () => {
    await createJournal(join(flows.config.filesDir, 'journal')).state();
    expect((await reconcile('--yes')).exitCode).toBe(0);
    // The database has a new life after a restore. Its hold has two seconds left, in which late calls may write their line.
    await sql`
      update tramita.ledger_life set epoch = gen_random_uuid(), held_since = now() - interval '13 seconds'`.execute(
      flows.database.db,
    );
    const dry = await reconcile();
    expect(dry.exitCode).toBe(3);
    expect(dry.out).toContain('NOT heard');
    expect(dry.out).toContain('Nothing was done: add --yes');

    const run = await reconcile('--yes');
    expect(run.out).toMatch(/^journal .*: heard$/m);
    expect(run.out).not.toContain('calls of all accounts wait');
    expect(run.exitCode).toBe(0);
    // Nothing is missing and no call is held, so --yes is not suggested.
    const whole = await reconcile();
    expect([whole.exitCode, whole.out]).toEqual([0, expect.not.stringContaining('--yes')]);
  });
});
