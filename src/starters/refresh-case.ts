/** Starting `refreshCase` idempotently: id from the case. */
import {
  parseRefreshCaseInput,
  refreshCaseId,
  type RefreshCaseInput,
  type RefreshCaseResult,
} from '../protocol/index.js';
import { caseSubject } from './case-subject.js';
import { defineStarter, type Starter } from './define-starter.js';

/** Starts (or joins) the refresh of one case. Default id `refresh/<account>/<cnj>`. */
export const startRefreshCase: Starter<RefreshCaseInput, RefreshCaseResult> = defineStarter({
  type: 'refreshCase',
  parse: parseRefreshCaseInput,
  place: ({ account, cnj, documents }, deps) => {
    const { caseAttribute = cnj, label = '' } = caseSubject(deps, account, cnj);
    return {
      id: refreshCaseId(account, caseAttribute),
      caseAttribute,
      summary: `Refresh of ${label}${documents ? ' with its public documents' : ''}`,
    };
  },
});
