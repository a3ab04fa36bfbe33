/**
 * A command that looks up flows of the ledger in Temporal needs the namespace in which they run. In another one it finds none,
 * and would take them for ended, or conclude that they do not hold what it searches.
 */
import { createInbox } from '../../inbox/index.js';
import { printable } from '../output/output.js';
import type { Database } from '../../store/index.js';
import type { CliContext } from '../context.js';
import { failure } from '../exit-codes.js';
import { readTemporal } from './settings.js';

/**
 * Warns of other namespaces in which workers of this database have run. Accepts a database that no worker has used.
 *
 * @throws if workers have run in other namespaces only.
 */
export async function refuseOtherNamespace(context: CliContext, db: Database): Promise<void> {
  const { namespace } = readTemporal(context);
  const known = await createInbox({ db, clock: Date.now }).namespaces();
  const others = known.filter((name) => name !== namespace);
  if (others.length === 0) return;
  const otherNames = others.map((name) => `"${printable(name)}"`).join(', ');
  if (known.includes(namespace)) {
    context.err(
      `tramita: only flows of the namespace "${namespace}" are covered; workers have run in ${otherNames} too\n`,
    );
    return;
  }
  throw failure(
    `no worker of this database has run in the Temporal namespace "${namespace}"; its flows are in ${otherNames}: set TEMPORAL_NAMESPACE`,
  );
}
