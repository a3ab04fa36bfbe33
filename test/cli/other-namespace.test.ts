/** Commands that query Temporal about flows of the ledger, with another namespace than that of the workers. */
import { createInbox } from '../../src/inbox/index.js';
import { forgetPayloadKey, keepFingerprints } from '../../src/store/index.js';
import { intentOf, makeLedger, refreshRequest, setClock } from '../store/support.js';
import { withDatabase } from '../support/database.js';
import { runCommand } from './run-command.js';

const WHO = ['--by', 'ana', '--reason', 'ticket 17'];

const NEXT_WEEK = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
const STARTS: readonly [readonly string[]][] = [
  [['start', 'refreshCase', '--cnj', '1000001-51.2026.8.26.0100']],
  [['schedule', 'add', 'mondays', 'refreshPortfolio', '--input', '{"name":"monday"}', '--cron', '0 6 * * 1']],
  [['portfolio', 'plan', '--list', 'firm', '--budget', '1', '--by', NEXT_WEEK, '--store']],
];

describe('a command about flows', () => {
  const database = withDatabase();
  const tramita = (args: readonly string[], namespace: string) =>
    runCommand(args, {
      TRAMITA_DATABASE_URL: database.url,
      TRAMITA_ID_KEY: 'id-key-of-the-tests-0123456789abcdef',
      // No server listens there.
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      TEMPORAL_NAMESPACE: namespace,
    });
  const noteNamespace = (namespace: string): Promise<void> =>
    createInbox({ db: database.db, clock: Date.now }).noteNamespace(namespace);

  beforeAll(async () => {
    await noteNamespace('prod');
    const { ledger } = makeLedger(database.db, { clock: setClock(Date.now()) });
    const { intentId } = intentOf(await ledger.openIntent(refreshRequest()));
    await ledger.settle(intentId, { state: 'unknown', reason: 'no answer' });
  });

  it.each([
    [['subject', 'find', '--oab', 'SP:123456', ...WHO]],
    [['subject', 'erase', '--oab', 'SP:123456', ...WHO, '--yes']],
    [['ledger', 'reconcile']],
    [['settle', '--where', 'state=unknown', '--decision', 'not-charged', '--by', 'ana', '--yes']],
    ...STARTS,
  ])('fails in a namespace without workers, and names that of the workers: %j', async (args) => {
    const { exitCode, err } = await tramita(args, 'default');
    expect({ exitCode, err }).toEqual({
      exitCode: 1,
      err: expect.stringContaining(
        'no worker of this database has run in the Temporal namespace "default"; its flows are in "prod": set TEMPORAL_NAMESPACE',
      ) as string,
    });
  });

  it.each(STARTS)('that starts flows fails without the payload keys of the workers: %j', async (args) => {
    const given = [{ subject: 'payload key', account: 'k1', value: 'kept' }] as const;
    await keepFingerprints(database.db, { given, nowMs: Date.now() });
    const { exitCode, err } = await tramita(args, 'prod');
    expect({ exitCode, err }).toEqual({
      exitCode: 1,
      err: expect.stringMatching(
        /nothing was started: .* set TRAMITA_PAYLOAD_KEYS to the keys of the workers/,
      ) as string,
    });
    await forgetPayloadKey(database.db, 'k1');
  });

  it('continues in a namespace of the workers, and names the others', async () => {
    await noteNamespace('older');
    for (const args of [
      ['subject', 'find', '--oab', 'SP:123456', ...WHO],
      ['ledger', 'reconcile'],
    ]) {
      const { err } = await tramita(args, 'prod');
      expect(err).not.toContain('no worker of this database');
      expect(err).toContain('127.0.0.1:1');
      expect(err).toContain('workers have run in "older" too');
    }
  });
});
