/** After a restore: the command hears the journal of its machine, even if no worker runs there. */
import { randomUUID } from 'node:crypto';
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
    expect(dry.out).toContain(
      'NOT heard: its worker does not run, or is still reading; --without only if its folder is lost',
    );
    expect(dry.out).toContain('Nothing was done: add --yes');

    const run = await reconcile('--yes');
    expect(run.out).toMatch(/^journal .*: heard$/m);
    expect(run.out).not.toContain('calls of all accounts wait');
    expect(run.exitCode).toBe(0);
    // Nothing is missing and no call is held, so --yes is not suggested.
    const whole = await reconcile();
    expect([whole.exitCode, whole.out]).toEqual([0, expect.not.stringContaining('--yes')]);
  });

  it('continues without the lost one of two journals with one name, and asks which if several are not heard', async () => {
    await createJournal(join(flows.config.filesDir, 'journal')).state();
    await reconcile('--yes');
    const { rows } = await sql<{ readonly label: string }>`select label from tramita.ledger_journal`.execute(
      flows.database.db,
    );
    const label = rows[0]?.label ?? '';
    const lose = async (): Promise<string> => {
      const id = randomUUID();
      await sql`insert into tramita.ledger_journal (journal_id, label) values (${id}::uuid, ${label})`.execute(
        flows.database.db,
      );
      return id;
    };
    const lost = await lose();
    const without = await reconcile('--yes', '--without', label, '--by', 'ana');
    expect([without.exitCode, without.err]).toEqual([0, '']);
    expect(without.out).toContain(`journal ${lost} of ${label}: left out by ana`);

    const [one, other] = [await lose(), await lose()];
    const unclear = await reconcile('--yes', '--without', label, '--by', 'ana');
    expect(unclear.exitCode).toBe(2);
    for (const id of [one, other]) expect(unclear.err).toContain(id);
    expect(unclear.err).not.toContain(lost);
    for (const id of [one, other]) await reconcile('--yes', '--without', id, '--by', 'ana');
    expect((await reconcile()).exitCode).toBe(0);
  });
});
