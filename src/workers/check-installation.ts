/**
 * What must be true before a worker runs: it can write its folder, the schema is complete, its keys can read the flows, and the
 * database is safe and the right one. A wrong clock, or tables of another owner, are only warnings.
 */
import type { Connection } from '@temporalio/client';
import type { ActivityLog } from '../activities/index.js';
import {
  fingerprintProblem,
  fingerprintsOf,
  missingKeyProblem,
  payloadKeysProblem,
  type Config,
  type TemporalConnection,
} from '../config/index.js';
import { nameOfError } from '../contract/values/index.js';
import { probeOwnDir } from '../files/index.js';
import {
  addressOf,
  clockProblem,
  databaseProblem,
  keepFingerprints,
  ownerProblem,
  readClock,
  readFingerprints,
  schemaProblemAtStart,
  unsafeServerProblem,
  unsafeSettings,
  type Database,
} from '../store/index.js';
import { findMissingKey } from '../temporal-client/index.js';

interface Installation {
  readonly config: Config;
  readonly temporal: TemporalConnection;
  readonly db: Database;
  readonly connection: Connection;
  readonly log: ActivityLog;
}

/**
 * @throws `tramita: …` for the first check that fails. Flows are checked before the database, which must not store keys of a
 * worker that does not start.
 */
export async function checkInstallation({ config, temporal, db, connection, log }: Installation): Promise<void> {
  await checkOwnDir(config.filesDir);
  const schema = await schemaProblemAtStart(db, log);
  if (schema !== undefined) throw new Error(schema);
  await checkFlows(connection, config, temporal, log);
  await namingDatabase(db, () => checkDatabase(db, config, temporal));
  await warnOfProblems(db, log).catch((error: unknown) => {
    log.warn({ error: nameOfError(error) }, 'the clock and the owner of the database could not be checked');
  });
}

/** A database that stops answering while a worker starts is named, with what to do, like one that is away from the beginning. */
export async function namingDatabase(db: Database, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const problem = databaseProblem(error, { address: addressOf(db) });
    throw problem === undefined ? error : new Error(problem, { cause: error });
  }
}

async function warnOfProblems(db: Database, log: ActivityLog): Promise<void> {
  for (const problem of [clockProblem(await readClock(db)), await ownerProblem(db)]) {
    if (problem !== undefined) log.warn({}, problem);
  }
}

async function checkOwnDir(filesDir: string): Promise<void> {
  const code = await probeOwnDir(filesDir);
  if (code === undefined) return;
  throw new Error(`tramita: TRAMITA_FILES_DIR: ${filesDir} cannot be written (${code}); name a folder of this worker`);
}

/** Could this worker read the running flows? */
async function checkFlows(
  connection: Connection,
  { taskQueue }: Config,
  temporal: TemporalConnection,
  log: ActivityLog,
): Promise<void> {
  const keyId = await findMissingKey(connection, temporal, taskQueue).catch((error: unknown) => {
    log.warn(
      { error: nameOfError(error) },
      'the flows that run cannot be listed: not checked for a missing payload key',
    );
    return undefined;
  });
  if (keyId === undefined) return;
  const { payloadKeys } = temporal;
  throw new Error(`tramita: ${missingKeyProblem(keyId, { taskQueue, payloadKeys })}`);
}

/** Does the database keep what it confirms, and was it written with these settings? */
async function checkDatabase(db: Database, config: Config, { payloadKeys }: TemporalConnection): Promise<void> {
  const unsafe = config.unsafeDatabase === true ? undefined : unsafeServerProblem(await unsafeSettings(db));
  if (unsafe !== undefined) throw new Error(unsafe);
  const unreadable = payloadKeysProblem(await readFingerprints(db), payloadKeys);
  if (unreadable !== undefined) throw new Error(`tramita: ${unreadable}`);
  const mismatches = await keepFingerprints(db, { given: fingerprintsOf(config, payloadKeys), nowMs: Date.now() });
  if (mismatches.length > 0) {
    throw new Error(mismatches.map((mismatch) => `tramita: ${fingerprintProblem(mismatch)}`).join('\n'));
  }
}
