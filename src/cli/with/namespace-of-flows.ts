/**
 * A command that asks Temporal about flows of the ledger must ask where they are: in another namespace it finds none, and would take
 * them for ended, or for clean of what it looks for.
 */
import { createInbox } from '../../inbox/index.js';
import { printable } from '../output/output.js';
import type { Database } from '../../store/index.js';
import type { CliContext } from '../context.js';
import { failure } from '../exit-codes.js';
import { readTemporal } from './settings.js';

/**
 * Names the other namespaces in which workers of this database have run. A database that no worker has used says nothing.
 *
 * @throws where none has run in the one of the settings.
 */
export async function refuseOtherNamespace(context: CliContext, db: Database): Promise<void> {
  const { namespace } = readTemporal(context);
  const known = await createInbox({ db, clock: Date.now }).namespaces();
  const others = known.filter((one) => one !== namespace);
  if (others.length === 0) return;
  const named = others.map((one) => `"${printable(one)}"`).join(', ');
  if (known.includes(namespace)) {
    context.err(
      `tramita: only flows of the namespace "${namespace}" are looked at; workers have run in ${named} too\n`,
    );
    return;
  }
  throw failure(
    `no worker of this database has run in the Temporal namespace "${namespace}"; its flows are in ${named}: set TEMPORAL_NAMESPACE`,
  );
}
