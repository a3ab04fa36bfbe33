/** The check that flows make before they list public documents. */
import { lookUpRefresh } from '../../activities/index.js';
import type { LookUpRefreshInput } from '../../protocol/index.js';
import type { Bill } from '../bill.js';
import type { Planner } from '../deps.js';

/** Ends the bill unless a refresh with public documents has finished. */
export async function endUnlessRefreshed(planner: Planner, bill: Bill, list: LookUpRefreshInput): Promise<void> {
  const { refresh } = await lookUpRefresh(planner, list);
  if (refresh === 'pending') bill.end('a refresh of the case is under way: list its documents when that has ended');
  if (refresh === 'none') {
    bill.end(
      'no refresh of the case with public documents has finished here: start refreshCase with "documents" first',
    );
  }
}
