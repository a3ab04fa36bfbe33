/** Foreign text in the output of every command: a terminal gets no control characters, and a spreadsheet gets no formula. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineSearchAttributeKey } from '@temporalio/common';
import { sql } from 'kysely';
import { createInbox } from '../../src/inbox/index.js';
import { harmlessJson, harmlessText } from '../../src/cli/output/harmless.js';
import { plainFields } from '../../src/cli/output/log.js';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { withFlows } from '../flows/with-flows.js';
import { incomingEvent } from '../store/support.js';
import { allCommands } from './all-commands.js';
import { runCommand, type CommandRun } from './run-command.js';

/** Clears the screen, hides text, overwrites the line, reverses the direction and rings; also C1 and invisible characters. */
const EVIL = '\u001b[2J\u001b[8m\rX\u009b31m\u202eB\u2066C\u0007\u200b\u2028D';
// eslint-disable-next-line no-control-regex -- the characters that must not be printed
const SEEN_BY_A_TERMINAL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069]/;

const TESTED = [
  ...['status', 'list', 'settle', 'lists show', 'schedule list', 'events list', 'events replay', 'events missed'],
  ...[
    'ledger list',
    'ledger check',
    'ledger export',
    'ledger match',
    'report',
    'account show',
    'balance',
    'operations',
    'config',
    'doctor',
  ],
];
/** Commands that print only the input of their user, or our own addresses. They write through the same streams. */
const OWN_TEXT = [
  ...['demo', 'up', 'worker', 'bridge', 'sandbox', 'migrate', 'start', 'resume', 'lists load', 'schedule add'],
  ...['schedule pause', 'schedule resume', 'schedule remove', 'webhook send', 'webhook verify', 'webhook forge'],
  ...['ledger reconcile', 'account move', 'account forget-key'],
  ...['codec-server', 'codec-server token', 'schema', 'plan', 'portfolio plan'],
  // Replays the flows of every test. replay.test.ts checks its output.
  'replay',
  // These print counts, and export into a file.
  ...['subject find', 'subject export', 'subject erase'],
];

/** A statement of the hour of the hostile row, with a hostile operation name. */
const STATEMENT = join(temporaryFolder('hostile'), 'statement.csv');
writeFileSync(
  STATEMENT,
  `time,amount,what\n${[2, 0].map((hours) => `${new Date(Date.now() - hours * 3_600_000).toISOString()},1,"${EVIL}"`).join('\n')}`,
);

describe('foreign text', () => {
  const flows = withFlows();
  const tramita = (...args: string[]): Promise<CommandRun> => runCommand(args, flows.env);
  const workflowId = `=cmd()${EVIL}${randomUUID()}`;

  beforeAll(async () => {
    const { db } = flows.database;
    await flows.client.workflow.start('refreshCase', {
      workflowId,
      taskQueue: 'none',
      args: [{ cnj: EVIL }],
      typedSearchAttributes: [
        { key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.flow, 'KEYWORD'), value: 'refreshCase' },
      ],
    });
    await flows.client.schedule.create({
      scheduleId: `tramita/${EVIL}`,
      spec: {},
      action: { type: 'startWorkflow', workflowType: 'refreshPortfolio', taskQueue: 'none', args: [] },
      state: { paused: true, note: EVIL },
    });
    await createInbox({ db, clock: Date.now }).record(incomingEvent({ eventId: EVIL, event: EVIL }));
    await sql`insert into tramita.intent (intent_id, account, workflow_id, first_run_id, workflow_type, step, ordinal, once,
        operation, subject, flags, state, reserved, webhook_expected, opened_at, settled_at, waiter_keys, locks, reason)
      values (${randomUUID()}::uuid, 'default', ${workflowId}, 'run', 'refreshCase', ${EVIL}, 1, ${EVIL}, ${EVIL}, ${EVIL}, '{}',
        'unknown', 0, true, now() - interval '1 hour', null, '{}', '{1}', ${EVIL})`.execute(db);
    await sql`insert into tramita.portfolio_case (account, list, position, cnj) values ('default', ${EVIL}, 1, ${EVIL})`.execute(
      db,
    );
    await sql`insert into tramita.fingerprint (subject, account, value, since, set_by)
      values ('base url', ${EVIL}, 'x', now(), ${EVIL})`.execute(db);
  });

  it.each([
    ['status', workflowId],
    ['status', workflowId, '--json'],
    ['status', EVIL],
    ['list'],
    ['list', '--json'],
    ['settle', '--where', 'state=unknown', '--decision', 'abandon', '--by', 'x'],
    ['settle', '--where', 'state=unknown', '--decision', 'abandon', '--by', 'x', '--json'],
    ['lists', 'show'],
    ['lists', 'show', '--json'],
    ['lists', 'show', EVIL],
    ['schedule', 'list'],
    ['schedule', 'list', '--json'],
    ['events', 'list'],
    ['events', 'list', '--json', '--bodies'],
    ['events', 'replay', '--after', '0'],
    ['events', 'missed'],
    ['ledger', 'list'],
    ['ledger', 'list', '--json'],
    ['ledger', 'check'],
    ['ledger', 'check', '--json'],
    ['ledger', 'export', '--format', 'csv'],
    ['ledger', 'export', '--format', 'json'],
    ['ledger', 'match', STATEMENT, '--columns', 'operation=what'],
    ['ledger', 'match', STATEMENT, '--columns', 'operation=what', '--json'],
    ['report'],
    ['report', '--json'],
    ['report', '--html', join(dirname(STATEMENT), 'report.html')],
    ['account', 'show'],
    ['account', 'show', '--json'],
    ['balance'],
    ['operations'],
    ['config'],
    ['doctor'],
    [EVIL],
  ])('is printed without control characters by %j', async (...args) => {
    const { out, err, exitCode } = await tramita(...args);
    expect(`${out}${err}`.length).toBeGreaterThan(0);
    // Lines of CSV end with CR LF.
    expect(`${out}${err}`.replaceAll('\r\n', '\n')).not.toMatch(SEEN_BY_A_TERMINAL);
    if (args.includes('--json') && exitCode !== 2) expect(() => JSON.parse(out) as unknown).not.toThrow();
  });

  it('is unchanged after its JSON is parsed', async () => {
    // Other test files start flows too, so this flow may not be among the newest.
    const listed = await until(
      async () => {
        const seen = JSON.stringify((await tramita('list', '--limit', '999999', '--json')).json());
        return seen.includes(JSON.stringify(workflowId)) ? seen : undefined;
      },
      { what: 'the flow to be listed' },
    );
    expect(listed).toContain(JSON.stringify(workflowId));
  });

  it('is not a formula in CSV', async () => {
    const { out } = await tramita('ledger', 'export', '--format', 'csv');
    expect(out).toContain(`'=cmd()`);
    expect(out).not.toMatch(/(^|[,"])=cmd/m);
  });

  // The server is shared by the whole run.
  it('is removed at the end', async () => {
    await flows.client.schedule.getHandle(`tramita/${EVIL}`).delete();
    await flows.client.workflow.getHandle(workflowId).terminate();
  });

  it('is tested for every command that prints any', async () => {
    const known = new Set([...TESTED, ...OWN_TEXT]);
    expect((await allCommands(tramita)).filter((command) => !known.has(command))).toEqual([]);
  });
});

test('harmlessText keeps our own colours and status line on a terminal only', () => {
  const own = '\r\u001b[K\u001b[32mok\u001b[39m\n';
  expect(harmlessText(own, true)).toBe(own);
  expect(harmlessText(own, false)).not.toMatch(SEEN_BY_A_TERMINAL);
  expect(harmlessText(EVIL, true)).not.toMatch(SEEN_BY_A_TERMINAL);
  expect(JSON.parse(harmlessJson({ [EVIL]: EVIL }))).toEqual({ [EVIL]: EVIL });
});

test('plainFields removes control characters from a log line', () => {
  expect(JSON.stringify(plainFields({ workflowId: EVIL }))).not.toMatch(SEEN_BY_A_TERMINAL);
});
