/** Checks the database: reachable, schema up to date, and durable. An intent that a failover loses can cost money. */
import {
  errorCode,
  fingerprintProblem,
  fingerprintsOf,
  KEPT_PLACES,
  keptText,
  payloadKeysProblem,
  unreadKeyProblem,
  type Config,
  type Retention,
  type TemporalConnection,
} from '../../config/index.js';
import { DAY_MS, withoutPrefix } from '../../contract/index.js';
import { findOverdue, MOST_COUNTED, type Overdue } from '../../privacy/index.js';
import { decideLife, listJournals, readLife, unheard } from '../../ledger/index.js';
import {
  addressOf,
  awayProblem,
  clockProblem,
  connect,
  findMismatches,
  isDatabaseAway,
  ownerProblem,
  readClock,
  readFingerprints,
  schemaProblem,
  unsafeServerProblem,
  unsafeSettings,
  type Database,
} from '../../store/index.js';
import { failed, ok, warning, type Finding } from './finding.js';

const about = 'database';

export async function checkDatabase(
  config: Config,
  { payloadKeys }: Pick<TemporalConnection, 'payloadKeys'>,
): Promise<readonly Finding[]> {
  if (config.databaseUrl === undefined) return [];
  const db = connect({ url: config.databaseUrl, applicationName: 'tramita-doctor', max: 1 });
  try {
    const schema = await schemaProblem(db);
    if (schema !== undefined) return [failed(about, withoutPrefix(schema))];
    const wrong = (await findMismatches(db, fingerprintsOf(config, payloadKeys))).map(fingerprintProblem);
    const fingerprints = await readFingerprints(db);
    const unreadable = payloadKeysProblem(fingerprints, payloadKeys) ?? [];
    return [
      ok(about, 'reachable, schema up to date'),
      ...warningOf('clock', clockProblem(await readClock(db))),
      ...warningOf(about, await ownerProblem(db)),
      ...warningOf('payloads', unreadKeyProblem(fingerprints, payloadKeys)),
      ...wrong.concat(unreadable).map((text) => failed('settings', text)),
      ...(await checkLife(db)),
      ...(await checkDurability(db, config.unsafeDatabase === true)),
      ...retentionFindings(config.retention, await findOverdue(db, config.retention, Date.now() - BEHIND_MS)),
    ];
  } catch (error) {
    const refused = `the database of TRAMITA_DATABASE_URL refuses (${errorCode(error)})`;
    return [failed(about, isDatabaseAway(error) ? awayProblem(error, undefined, addressOf(db)) : refused)];
  } finally {
    await db.destroy();
  }
}

function warningOf(subject: string, text: string | undefined): readonly Finding[] {
  return text === undefined ? [] : [warning(subject, text)];
}

/** Housekeeping runs every hour; rows that are overdue by more than this show that it does not. */
const BEHIND_MS = 2 * DAY_MS;

/** The ledger keeps some old rows of each account: the newest, the most expensive, the one with the last balance. */
const ALWAYS_NEEDED = 100;

/** Pure. */
function retentionFindings(kept: Retention, overdue: readonly Overdue[]): readonly Finding[] {
  const all = KEPT_PLACES.map((place) => `${place} ${keptText(kept[place])}`).join(', ');
  const late = overdue.filter(({ place, older }) => older > (place === 'archive' ? ALWAYS_NEEDED : 0));
  const counted = (older: number): string => (older < MOST_COUNTED ? String(older) : `${MOST_COUNTED} or more`);
  return [
    ok('retention', `kept for: ${all}`),
    ...late.map(({ place, older }) =>
      warning(
        'retention',
        `${place}: ${counted(older)} older than ${keptText(kept[place])}; a worker drops them hour by hour, except what a flow or a decision may still need`,
      ),
    ),
  ];
}

/** One finding if calls are held because the ledger may have lost rows: why, and which journals are still missing. */
export async function checkLife(db: Database): Promise<readonly Finding[]> {
  const verdict = decideLife(await readLife(db), undefined);
  if (verdict.kind === 'same') return [];
  const unheardLabels = unheard(await listJournals(db)).map(({ label }) => label);
  const because = verdict.kind === 'changed' ? verdict.because : 'its journals are being heard';
  const missing = unheardLabels.length === 0 ? '' : ` (not heard: ${unheardLabels.join(', ')})`;
  const text = `charged calls wait, the ledger may have forgotten some: ${because}${missing}; see \`tramita ledger reconcile\``;
  return [failed('ledger', text)];
}

/** A confirmed commit must survive a crash of the server and a failover to a standby. */
async function checkDurability(db: Database, allowed: boolean): Promise<readonly Finding[]> {
  const unsafe = unsafeServerProblem(await unsafeSettings(db));
  const { commit } = await db
    .selectNoFrom((select) => [select.fn<string>('current_setting', [select.val('synchronous_commit')]).as('commit')])
    .executeTakeFirstOrThrow();
  const standbys = await db
    .withTables<{ pg_stat_replication: { sync_state: string | null } }>()
    .selectFrom('pg_stat_replication')
    .select('sync_state')
    .execute();
  return [
    ...(unsafe === undefined ? [] : [(allowed ? warning : failed)(about, withoutPrefix(unsafe))]),
    ...durabilityFindings({ commit, standbys: standbys.map(({ sync_state: state }) => state ?? 'unknown') }),
  ];
}

/** Pure. `standbys` are the words of `pg_stat_replication.sync_state`. */
export function durabilityFindings(seen: {
  readonly commit: string;
  readonly standbys: readonly string[];
}): readonly Finding[] {
  const isSynchronous = seen.standbys.some((state) => state === 'sync' || state === 'quorum');
  return [
    ...(seen.commit === 'off'
      ? [warning(about, 'synchronous_commit is off: a crash may forget intents that were confirmed')]
      : []),
    ...(seen.standbys.length > 0 && (!isSynchronous || seen.commit === 'local')
      ? [warning(about, 'standbys are asynchronous: a failover may forget intents; set synchronous_standby_names')]
      : []),
  ];
}
