/**
 * Records that an answer carries, beside the raw answer that the ledger keeps. Best effort: the charge is settled and the
 * answer stored whole by then, so trouble here is logged and never changes the outcome.
 */
import { readPublicDocuments } from '../contract/index.js';
import type { Intent } from '../ledger/index.js';
import type { ActivityDeps } from './deps.js';
import { parseStored } from './stored-outcome.js';
import { describeError } from './to-failure.js';

export async function rememberAnswer(
  deps: ActivityDeps,
  answer: { readonly intent: Intent; readonly cnj: string; readonly page: number; readonly body: Buffer },
): Promise<void> {
  const { intent, cnj, page, body } = answer;
  if (intent.operation !== 'listPublicDocuments') return;
  const list = readPublicDocuments(parseStored(body), page);
  if (list === undefined) return;
  try {
    await deps.records.saveDocuments({
      account: intent.account,
      cnj,
      intentId: intent.intentId,
      documents: list.documents.map(({ downloadUrl: _link, ...document }) => document),
    });
  } catch (error) {
    deps.log.warn({ intentId: intent.intentId, error: describeError(error) }, 'documents not recorded; the answer itself is stored');
  }
}
