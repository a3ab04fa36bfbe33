/** Does this link provably ask for a page behind the first? Only those are free (interface, rule 9). Pure. */
import { isCharged, type Operation } from '../../contract/index.js';

/** The list's page parameter is the interface's own (`page`). */
export function isLaterPage(operation: Operation<string>, target: string): boolean {
  const page = new URLSearchParams(target.split('?')[1] ?? '').getAll('page');
  const [only] = page;
  return page.length === 1 && only !== undefined && !isCharged(operation, { page: only });
}
