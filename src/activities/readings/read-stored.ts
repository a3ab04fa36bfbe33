/** Reads an answer that the ledger has, as a flow that reuses it would get it. */
import { present } from '../../contract/index.js';
import type { AnswerView, CallSubject, ReadingByView } from '../../protocol/index.js';
import type { ActivityDeps, LedgerDeps } from '../deps.js';
import { parseStored } from '../stored-answer.js';
import { readingOf } from './index.js';

/** Undefined if there is no answer, or not one for this view. */
export async function readStored<View extends AnswerView>(
  deps: Pick<ActivityDeps, 'catalogue' | 'gaps'> & { readonly ledger: Pick<LedgerDeps['ledger'], 'answerBytes'> },
  view: View | undefined,
  call: Pick<CallSubject, 'operation' | 'params' | 'target'> & { readonly intentId: string; readonly baseUrl: string },
): Promise<ReadingByView[View] | undefined> {
  const { intentId, params, target, baseUrl } = call;
  const answer = await deps.ledger.answerBytes(intentId);
  if (answer === undefined) return undefined;
  const { catalogue, gaps } = deps;
  return readingOf(view, {
    operation: catalogue.operationOf(call.operation),
    params,
    baseUrl,
    gaps,
    sha256: answer.sha256,
    bytes: answer.bytes.length,
    ...present({ target }),
    body: parseStored(answer.bytes),
  }) as ReadingByView[View] | undefined;
}
