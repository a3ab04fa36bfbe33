/** After a restore, from the machine of a worker: its own journal is heard by the command, also where no worker runs. */
import { join } from 'node:path';
import { sql } from 'kysely';
import { createJournal } from '../../src/ledger/index.js';
import { withFlows } from '../flows/with-flows.js';
import { runCommand, type CommandRun } from './run-command.js';

describe('tramita ledger reconcile', () => {
  const flows = withFlows({ worker: false });
  const reconcile = (...args: string[]): Promise<CommandRun> =>
    runCommand(['ledger', 'reconcile', '--no-histories', ...args], flows.env);

  it('with --yes hears the journal of this machine, and ends the hold', async () => {
    await createJournal(join(flows.config.filesDir, 'journal')).state();
    expect((await reconcile('--yes')).exitCode).toBe(0);
    // Restored: another life, held for so long already that two seconds are left in which late calls may write their line.
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
    // Nothing is missing and nothing is held: there is nothing to add it for.
    const whole = await reconcile();
    expect([whole.exitCode, whole.out]).toEqual([0, expect.not.stringContaining('--yes')]);
  });
});
