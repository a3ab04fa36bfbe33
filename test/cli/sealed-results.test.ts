/** Results under judicial secrecy: commands omit them, and show them only with a line in the access log. */
import { sql } from 'kysely';
import { resolveConfig } from '../../src/config/index.js';
import { shownResult, withoutSealed } from '../../src/cli/with/shown-result.js';
import { withFlows } from '../flows/with-flows.js';
import { newCase } from '../support/case-number.js';
import { runCommand, type CommandRun } from './run-command.js';

test('withoutSealed omits items with signs of secrecy, and everything of a sealed case except its costs', () => {
  const result = {
    cnj: '1',
    spent: { known: '1', unknown: 0 },
    cover: { nivel_sigilo: 1, classe: 'x' },
    summary: { text: 'y' },
    movements: [{ text: 'a' }, { text: 'b', segredo_justica: true }],
  };
  expect(withoutSealed(result, false)).toEqual({
    ...result,
    cover: { sealed: true },
    movements: [{ text: 'a' }, { sealed: true }],
  });
  expect(withoutSealed(result, true)).toEqual({
    cnj: '1',
    spent: result.spent,
    cover: { sealed: true },
    summary: { sealed: true },
    movements: { sealed: true },
  });
});

test('shownResult is null for a result that cannot be decrypted, and names the missing setting', async () => {
  let errors = '';
  const context = {
    env: {},
    cwd: '.',
    out: () => undefined,
    err: (text: string) => (errors += text),
    isTerminal: false,
  };
  expect(await shownResult(context, resolveConfig({ env: {} }), undefined, { via: 'status' })).toBeNull();
  expect(errors).toContain('TRAMITA_PAYLOAD_KEYS');
});

describe('status and start --wait', () => {
  const flows = withFlows();
  const tramita = (...args: string[]): Promise<CommandRun> => runCommand(args, flows.env);

  it('omit the result of a sealed case, and show it with --sealed, which is logged', async () => {
    const cnj = newCase();
    const selection = ['--cnj', cnj, '--include', 'cover'];
    const open = (await tramita('start', 'readCase', ...selection, '--wait')).json() as Record<string, unknown>;
    expect(open['cover']).not.toEqual({ sealed: true });
    await sql`insert into tramita.sealed_case (account, cnj) values ('default', ${cnj})`.execute(flows.database.db);
    const hidden = (await tramita('start', 'readCase', ...selection, '--wait', '--max-age', '1h')).json();
    expect(hidden).toMatchObject({ cover: { sealed: true }, spent: { known: '0' } });
    const workflowId = `case.default.${cnj}`;
    const { rows: flow } = await sql<{ id: string }>`select workflow_id as id from tramita.intent limit 1`.execute(
      flows.database.db,
    );
    const id = flow[0]?.id ?? workflowId;
    expect((await tramita('status', id, '--json')).json()).toMatchObject({ result: { cover: { sealed: true } } });
    const shown = (await tramita('status', id, '--json', '--sealed', '--by', 'T-9')).json() as { result: object };
    expect(shown.result).toMatchObject({ cover: open['cover'] });
    const { rows } = await sql`select via, by_whom = 'T-9' as named from tramita.access_log order by seq`.execute(
      flows.database.db,
    );
    expect(rows).toEqual([
      ...['start --wait', 'start --wait', 'status'].map((via) => ({ via, named: false })),
      { via: 'status --sealed', named: true },
    ]);
  });
});
