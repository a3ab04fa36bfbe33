/**
 * A command that looks up flows of the ledger in Temporal needs the namespace in which they run. In another one it finds none,
 * and would take them for ended, or conclude that they do not hold what it searches. One that writes to flows needs their payload
 * keys too.
 */
import { payloadKeysProblem } from '../../config/index.js';
import { createInbox } from '../../inbox/index.js';
import { printable } from '../output/output.js';
import { readFingerprints, type Database } from '../../store/index.js';
import type { CliContext } from '../context.js';
import { failure } from '../exit-codes.js';
import { KEYS_CURE } from '../output/flow-failure.js';
import { readTemporal } from './settings.js';

/**
 * Warns of other namespaces in which workers of this database have run. Accepts a database that no worker has used.
 *
 * @throws if workers have run in other namespaces only.
 */
export async function refuseOtherNamespace(context: CliContext, db: Database): Promise<void> {
  const others = await otherNamespaces(context, db);
  if (others.length === 0) return;
  context.err(
    `tramita: only flows of the namespace "${readTemporal(context).namespace}" are covered; workers have run in ${quoted(others)} too\n`,
  );
}

/** For commands that decide charges through their flows: {@link refuseMissingKeys} and {@link refuseOtherNamespace}. */
export async function refuseOtherFlows(context: CliContext, db: Database): Promise<void> {
  await refuseMissingKeys(context, db, 'decided');
  await refuseOtherNamespace(context, db);
}

/** For commands that start flows: as {@link refuseOtherFlows}, without the warning, which is about flows that exist. */
export async function refuseForeignStart(context: Context, db: Database): Promise<void> {
  await refuseMissingKeys(context, db, 'started');
  await otherNamespaces(context, db);
}

type Context = Pick<CliContext, 'env'>;

/** Without the workers' keys the histories would hold inputs and decisions in clear, and the answers could not be read. */
async function refuseMissingKeys(context: Context, db: Database, undone: 'decided' | 'started'): Promise<void> {
  if (payloadKeysProblem(await readFingerprints(db), readTemporal(context).payloadKeys) === undefined) return;
  throw failure(`nothing was ${undone}: the answers of the flows cannot be read here: ${KEYS_CURE}`);
}

async function otherNamespaces(context: Context, db: Database): Promise<readonly string[]> {
  const { namespace } = readTemporal(context);
  const known = await createInbox({ db, clock: Date.now }).namespaces();
  const others = known.filter((name) => name !== namespace);
  if (others.length === 0 || known.includes(namespace)) return others;
  throw failure(
    `no worker of this database has run in the Temporal namespace "${namespace}"; its flows are in ${quoted(others)}: set TEMPORAL_NAMESPACE`,
  );
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${printable(name)}"`).join(', ');
}
