/** `collectPages`: all pages of one question, resumed where it stopped. */
import type { JsonObject } from '../../contract/json.js';
import type { Parameters } from '../../contract/route.js';
import { defineFlow, workflowIdOf } from '../flow.js';
import { operationId, parameters } from '../inputs/arguments.js';
import { statedPages } from '../inputs/kinds.js';
import type { CommonInput } from '../inputs/common.js';
import type { FlowCosts, PagesStop } from '../results.js';
import { placeOfCase } from './call-operation.js';

/** Input of `collectPages`: an operation with pages, and how many of them may be bought. */
export interface CollectPagesInput extends CommonInput {
  /** Id of an operation that answers in pages. */
  readonly operation: string;
  /** By the service's own names; of the first page. */
  readonly params?: Parameters;
  /** Each page is a charged call. */
  readonly maxPages: number;
}

/** Result of `collectPages`: how far the collection came. The pages themselves are in the database. */
export interface CollectPagesResult extends FlowCosts {
  /** Pages that were read. */
  readonly pages: number;
  /** Items on them. */
  readonly items: number;
  /**
   * All pages from the first to the last were read, and the service does not say that its search was partial. False where
   * `params` name a later page, also where it came to the last one: then there is no `stoppedBy`.
   */
  readonly complete: boolean;
  /** Why it ended before the last page; absent where the last page was reached. */
  readonly stoppedBy?: PagesStop;
  /** `meta.search` of the last page; null where there is none. */
  readonly search: JsonObject | null;
}

export const collectPages = defineFlow<CollectPagesInput, CollectPagesResult>()({
  idPrefix: 'pages',
  example: '{"operation":"searchTerm","params":{"q":"…"},"maxPages":3}',
  members: { operation: operationId, params: parameters, maxPages: statedPages },
  place: ({ account, operation, params, maxPages }, naming) => ({
    ...placeOfCase(naming, account, params, `At most ${maxPages} pages of ${operation}`),
    id: [operation, naming.token('pages', params)],
  }),
});

/** Default workflow id of `collectPages`. `token`: only of the parameters, so that another `maxPages` is the same collection. */
export function collectPagesId(collection: {
  readonly account: string;
  readonly operation: string;
  readonly token: string;
}): string {
  return workflowIdOf(collectPages, collection.account, collection.operation, collection.token);
}
