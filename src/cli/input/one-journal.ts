/** The journal that `--without` names. Pure. */
import type { JournalRow } from '../../ledger/index.js';
import { usageError } from '../exit-codes.js';

/**
 * A folder that has lost its journal gives its name to the next one, so that a name may stand for a lost journal and for one that
 * is in use.
 *
 * @throws a usage error that lists the ids if `journals` are several.
 */
export function oneJournal(journals: readonly JournalRow[]): JournalRow | undefined {
  const [journal, ...others] = journals;
  if (journal === undefined || others.length === 0) return journal;
  const ids = journals.map(({ journalId, isHeard }) => `${journalId} (${isHeard ? 'heard' : 'not heard'})`).join(', ');
  throw usageError(`--without: several journals have the name "${journal.label}": ${ids}; give the id of the lost one`);
}
