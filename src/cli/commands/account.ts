/**
 * `tramita account`: `show` lists fingerprints of the keys and services with which this database was written; `move` lets workers
 * use another address of an account's service; `forget-key` lets them start without a lost payload key. None shows a key.
 */
import type { Command } from 'commander';
import {
  baseUrlFingerprint,
  fingerprintProblem,
  fingerprintsOf,
  parseApiUrl,
  shortFingerprint,
  type Config,
  type TemporalConnection,
} from '../../config/index.js';
import { findMismatches, forgetPayloadKey, moveBaseUrl, readFingerprints } from '../../store/index.js';
import type { CommandSetup } from '../context.js';
import { EXIT, failure, usageError } from '../exit-codes.js';
import { formatTable, JSON_OPTION, print, type JsonFlag } from '../output/output.js';
import { parseBy } from '../with/note-look.js';
import { readConfig, readTemporal, requireIdKey } from '../with/settings.js';
import { withDatabase } from '../with/with-database.js';

interface MoveFlags extends JsonFlag {
  readonly account: string;
  readonly to: string;
  readonly by: string;
  readonly yes?: boolean;
}

const MAX_NAME = 500;

export function addAccountCommand(program: Command, { context, run }: CommandSetup): void {
  const account = program.command('account').description('settings that workers of this database have used');
  account
    .command('show')
    .description(
      'fingerprints of the id key, of base URL and API key by account, and of payload keys, since when; never a key',
    )
    .option(...JSON_OPTION)
    .action(
      run(async ({ json }: JsonFlag) => {
        const rows = await readRows(readConfig(context), readTemporal(context));
        print(context, json, rows, rows.length === 0 ? 'nothing yet: the first worker records it' : tableOf(rows));
        return rows.some(({ subject, same }) => subject !== 'api key' && same === false) ? EXIT.failed : EXIT.ok;
      }),
    );
  account
    .command('move')
    .description('record a new address of an account, so that workers start with it (stop them first)')
    .requiredOption('--account <name>', 'account of the configuration')
    .requiredOption('--to <url>', 'the new base URL')
    .requiredOption('--by <who>', 'a name or a ticket, kept in the database', parseBy)
    .option('--yes', 'do it; without this flag, only show what would be done')
    .option(...JSON_OPTION)
    .action(
      run(async ({ account: name, to, by, yes, json }: MoveFlags) => {
        const config = readConfig(context);
        const idKey = requireIdKey(config);
        const url = parseApiUrl(to);
        if (!url.ok) throw usageError(`--to: ${url.problem}`);
        if (by.length > MAX_NAME) throw usageError('--by: expected a name or a ticket');
        const given = baseUrlFingerprint(idKey, { account: name, apiUrl: url.value });
        return withDatabase(config, async (db) => {
          const [wrongKey] = await findMismatches(db, fingerprintsOf({ idKey, accounts: {} }));
          if (wrongKey !== undefined) throw failure(fingerprintProblem(wrongKey));
          const known = (await readFingerprints(db)).find((row) => row.subject === 'base url' && row.account === name);
          if (known === undefined) {
            throw usageError(
              `--account: seen "${name}", which no worker has used yet: the first worker that uses it records its address`,
            );
          }
          const same = known.value === given.value;
          const moved = yes === true && !same;
          if (moved) await moveBaseUrl(db, { account: name, value: given.value, by, nowMs: Date.now() });
          const move = {
            account: name,
            to: url.value,
            from: shortFingerprint(known.value),
            into: shortFingerprint(given.value),
            same,
            moved,
          };
          print(context, json, move, textOf(move));
        });
      }),
    );
  account
    .command('forget-key')
    .description('record that a payload key is lost for good, so that workers start without it')
    .requiredOption('--key <id>', 'id of the key, as "tramita account show" prints it')
    .option('--yes', 'do it; without this flag, only show what would be done')
    .option(...JSON_OPTION)
    .action(
      run(async ({ key, yes = false, json }: { key: string; yes?: boolean; json?: boolean }) => {
        if (readTemporal(context).payloadKeys?.byId.has(key) === true) {
          throw usageError(
            `--key: the configuration here has "${key}", so it is not lost; remove it from TRAMITA_PAYLOAD_KEYS of every program first`,
          );
        }
        return withDatabase(readConfig(context), async (db) => {
          const keys = (await readFingerprints(db)).filter(({ subject }) => subject === 'payload key');
          if (!keys.some(({ account: id }) => id === key)) {
            const known = keys.map(({ account: id }) => id).join(', ');
            throw usageError(`--key: seen "${key}"; this database knows ${known === '' ? 'none' : known}`);
          }
          const forgotten = yes && (await forgetPayloadKey(db, key));
          const lost = `what was encrypted with the key "${key}" stays unreadable`;
          print(context, json, { key, forgotten }, [
            forgotten
              ? `workers start without the key "${key}", unless a flow that runs needs it; ${lost}`
              : `${lost}: terminate the flows that run with it, and start them again. Nothing was done: add --yes`,
          ]);
        });
      }),
    );
}

function textOf(
  move: Readonly<Record<'account' | 'to' | 'from' | 'into', string> & Record<'same' | 'moved', boolean>>,
): string {
  const { account, to, from, into, same, moved } = move;
  if (same) return `account ${account} is used with ${to} already (${into})`;
  const change = `account ${account}: ${to} (${into}) instead of the address with the fingerprint ${from}`;
  return moved
    ? `${change}. Workers with the former address no longer start`
    : `${change}.\nWork pending at the former address is asked for at the new one from then on. Nothing was done: add --yes`;
}

async function readRows(config: Config, { payloadKeys }: TemporalConnection) {
  const configured = fingerprintsOf(config, payloadKeys);
  const recorded = await withDatabase(config, readFingerprints);
  return recorded.map(({ subject, account, value, sinceMs, setBy }) => {
    const here = configured.find((row) => row.subject === subject && row.account === account);
    return {
      subject,
      account: account === '' ? null : account,
      fingerprint: shortFingerprint(value),
      since: new Date(sinceMs).toISOString(),
      setBy,
      // Whether the configuration here has the same value; null if it has none.
      same: here === undefined ? null : here.value === value,
    };
  });
}

const SAME = new Map<boolean | null, string>([
  [true, 'the same here'],
  [false, 'ANOTHER ONE HERE'],
  [null, 'not set here'],
]);

function tableOf(rows: Awaited<ReturnType<typeof readRows>>): string {
  return formatTable(
    ['WHAT', 'ACCOUNT', 'FINGERPRINT', 'SINCE', 'SET BY', 'CONFIGURATION'],
    rows.map(({ subject, account, fingerprint, since, setBy, same }) => [
      ...[subject, account ?? '', fingerprint, since, setBy ?? 'a worker', SAME.get(same) ?? ''],
    ]),
  );
}
