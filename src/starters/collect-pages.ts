/** Starting `collectPages` idempotently: id from operation and arguments, whatever `maxPages` is. */
import {
  collectPagesId,
  parseCollectPagesInput,
  type CollectPagesInput,
  type CollectPagesResult,
} from '../protocol/index.js';
import { caseSubject } from './case-subject.js';
import { defineStarter, type Starter } from './define-starter.js';

/** Starts (or joins) a collection of pages. Default id `pages/<account>/<operation>/<hash of params>`. */
export const startCollectPages: Starter<CollectPagesInput, CollectPagesResult> = defineStarter({
  type: 'collectPages',
  parse: parseCollectPagesInput,
  place: ({ account, operation, params, maxPages }, deps) => {
    const { caseAttribute, label } = caseSubject(deps, account, params['cnj']);
    return {
      id: collectPagesId({ account, operation, token: deps.token('pages', params) }),
      caseAttribute,
      summary: `At most ${maxPages} pages of ${operation}${label === undefined ? '' : ` for ${label}`}`,
    };
  },
});
