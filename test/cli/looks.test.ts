/**
 * The access log of commands. A command that shows personal data is a look, and writes its line before it shows
 * anything. Other commands show no personal data. docs/privacy.md has the same list.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { osUser } from '../../src/cli/with/note-look.js';
import { createInbox } from '../../src/inbox/index.js';
import { withFlows } from '../flows/with-flows.js';
import { DOCUMENTS, namesIn, sectionOf, tableOf } from '../package/read-docs.js';
import { incomingEvent } from '../store/support.js';
import { newCase } from '../support/case-number.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { allCommands } from './all-commands.js';
import { runCommand, type CommandRun } from './run-command.js';

const CASE = newCase();
const NEXT_WEEK = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
const WORKFLOW = `case.default.${CASE}`;
const STATEMENT = join(temporaryFolder('looks'), 'statement.csv');
writeFileSync(
  STATEMENT,
  `time,amount,what\n${[2, 0].map((hours) => `${new Date(Date.now() - hours * 3_600_000).toISOString()},1,x`).join('\n')}`,
);

/** The looks, each with the command line of its test. */
const LOOKS: Readonly<Record<string, readonly string[]>> = {
  'start --wait': ['start', 'readCase', '--cnj', newCase(), '--include', 'cover', '--wait'],
  status: ['status', WORKFLOW],
  list: ['list', '--case', CASE],
  'settle --where': ['settle', '--where', 'state=unknown', '--decision', 'abandon'],
  'lists show': ['lists', 'show', 'all'],
  'portfolio plan --json': ['portfolio', 'plan', '--list', 'all', '--budget', '1.00', '--by', NEXT_WEEK, '--json'],
  'events list --bodies': ['events', 'list', '--bodies', '--json'],
  'events replay': ['events', 'replay', '--after', '0'],
  'events missed': ['events', 'missed'],
  'ledger list': ['ledger', 'list'],
  'ledger export': ['ledger', 'export', '--format', 'csv'],
  'ledger match': ['ledger', 'match', STATEMENT, '--columns', 'operation=what'],
  // Only the last minute, because the command reads every history since then.
  'ledger reconcile': ['ledger', 'reconcile', '--since', '1m'],
};
/** Looks with their own options for the person, tested in test/e2e/subject-erased.test.ts and test/codec. `replay` shows failed histories. */
const LOOKS_ELSEWHERE = ['subject find', 'subject export', 'subject erase', 'codec-server', 'replay'];
/** `ledger match` accepts `--by` only with a decision, and the `--by` of `portfolio plan` is a day. */
const BY_THE_USER = ['ledger match', 'portfolio plan --json'];

/** Commands that print counts, states, settings, their own input, or data of the sandbox. */
const NO_LOOK = [
  ...['demo', 'up', 'worker', 'bridge', 'codec-server token', 'sandbox', 'migrate', 'resume', 'lists load'],
  ...['schedule add', 'schedule list', 'schedule pause', 'schedule resume', 'schedule remove'],
  ...[
    'webhook send',
    'webhook verify',
    'webhook forge',
    'ledger check',
    'account show',
    'account move',
    'account forget-key',
    'balance',
  ],
  ...['operations', 'schema', 'config', 'doctor', 'plan', 'portfolio', 'report'],
];

interface Line {
  readonly by: string;
  readonly via: string;
  readonly items: number | null;
}

describe('the access log', () => {
  // Own namespace: `ledger reconcile` reads every history, and histories of other tests may be encrypted.
  const namespace = `looks-${randomUUID().slice(0, 8)}`;
  const flows = withFlows({ namespace });
  const tramita = (...args: readonly string[]): Promise<CommandRun> => runCommand(args, env());
  const env = (): Record<string, string> => ({
    ...flows.env,
    TEMPORAL_NAMESPACE: namespace,
  });
  /** Returns the lines of the access log, and removes them. */
  const takeLines = async (): Promise<readonly Line[]> => {
    const { rows } = await sql<Line>`
      with taken as (delete from tramita.access_log returning seq, by_whom as by, via, items)
      select by, via, items::integer as items from taken order by seq`.execute(flows.database.db);
    return rows;
  };

  beforeAll(async () => {
    const { db } = flows.database;
    await tramita('start', 'readCase', '--cnj', CASE, '--include', 'cover', '--workflow-id', WORKFLOW, '--wait');
    const row = (state: string, settled: boolean) => sql`
      insert into tramita.intent (intent_id, account, workflow_id, first_run_id, workflow_type, step, ordinal, operation, subject,
        flags, state, reserved, charged, webhook_expected, request_id, opened_at, settled_at, waiter_keys, locks)
      values (${randomUUID()}::uuid, 'default', ${`refresh.default.${CASE}`}, ${randomUUID()}, 'refreshCase', 'requestRefresh/1', 1,
        'requestRefresh', 'x', '{}', ${state}, 0, ${settled ? 1_000 : null}, true, ${randomUUID()}, now() - interval '1 hour',
        ${settled ? new Date() : null}, '{}', '{1}')`;
    await row('unknown', false).execute(db);
    await row('done', true).execute(db);
    await sql`insert into tramita.portfolio_case (account, list, position, cnj) values ('default', 'all', 1, ${CASE})`.execute(
      db,
    );
    await sql`insert into tramita.waiter (workflow_id, key, intent_id, expires_at) values (${`refresh.default.${CASE}`}, ${`cnj:${CASE}`},
      ${randomUUID()}::uuid, now() + interval '1 day')`.execute(db);
    await createInbox({ db, clock: Date.now }).record(incomingEvent({ keys: [`cnj:${CASE}`] }));
    await until(async () => (await tramita('list', '--case', CASE)).out.includes(WORKFLOW));
    await takeLines();
  });

  it.each(Object.entries(LOOKS))('has a line for %s', async (via, args) => {
    const by = BY_THE_USER.includes(via) ? [] : ['--by', 'T-1'];
    // The row is then only in its history, until the worker restores it from its journal within seconds.
    const deleteRow = () => sql`delete from tramita.intent where workflow_id = ${WORKFLOW}`.execute(flows.database.db);
    let shown: CommandRun;
    let noted: readonly Line[];
    do {
      if (via === 'ledger reconcile') await deleteRow();
      shown = await tramita(...args, ...by);
      noted = await takeLines();
    } while (via === 'ledger reconcile' && noted.length === 0);
    expect([shown.exitCode === 0 || shown.exitCode === 3, shown.err]).toEqual([true, shown.err]);
    // A missing row is something that reconcile reports.
    if (via === 'ledger reconcile') expect(shown.exitCode).toBe(3);
    expect(noted).toEqual([
      { by: by[1] ?? userInfo().username, via, items: via === 'ledger export' ? null : (expect.any(Number) as number) },
    ]);
  });

  it('has no line if a command shows nothing, or only counts', async () => {
    for (const args of [
      ...[
        ['list', '--case', newCase()],
        ['lists', 'show'],
        ['lists', 'show', 'none'],
        ['ledger', 'list', '--account', 'none'],
      ],
      ...[['events', 'list'], ['ledger', 'check'], ['schedule', 'list'], ['account', 'show'], ['balance'], ['config']],
    ]) {
      await tramita(...args);
      expect([args, await takeLines()]).toEqual([args, []]);
    }
  });

  it('has its line before data is shown: if it cannot be written, nothing of the database is shown', async () => {
    await sql`alter table tramita.access_log rename to access_log_away`.execute(flows.database.db);
    try {
      for (const via of [
        'lists show',
        'ledger list',
        'ledger export',
        'events list --bodies',
        'events missed',
        'settle --where',
      ]) {
        const { out, err, exitCode } = await tramita(...(LOOKS[via] ?? []), '--by', 'T-1');
        expect([via, out, exitCode, err]).toEqual([
          via,
          '',
          1,
          expect.stringContaining('the access log cannot be written') as string,
        ]);
      }
      // The status of a flow is shown anyway.
      const { out, err } = await tramita('list', '--case', CASE);
      expect([out, err]).toEqual([
        expect.stringContaining(WORKFLOW),
        expect.stringContaining('this access was not recorded in the access log'),
      ]);
    } finally {
      await sql`alter table tramita.access_log_away rename to access_log`.execute(flows.database.db);
    }
  });

  it('accepts a name or a ticket, but no personal number', async () => {
    for (const by of ['529.982.247-25', '529 982 247 25', 'client 12ABC34501DE35', ' ']) {
      const { exitCode, err } = await tramita('list', '--by', by);
      expect([exitCode, err]).toEqual([2, expect.stringContaining('--by') as string]);
    }
    expect(osUser(() => '52998224725')).toMatch(/^uid /);
    expect(
      osUser(() => {
        throw new Error('no such user');
      }),
    ).toMatch(/^uid /);
  });

  it('covers every command, and docs/privacy.md lists the looks', async () => {
    const looks = [...Object.keys(LOOKS), ...LOOKS_ELSEWHERE];
    const known = new Set([...looks, ...NO_LOOK].flatMap((name) => [name, name.split(' --')[0] ?? '']));
    expect((await allCommands(tramita)).filter((command) => !known.has(command))).toEqual([]);
    const page = sectionOf(DOCUMENTS.get(join('docs', 'privacy.md')) ?? '', '## Who has looked');
    expect([...namesIn(tableOf(page, 'Command'))].sort()).toEqual([...looks].sort());
  });
});
