/** Starting `readCase` idempotently: id from the case and from what is read of it. */
import { parseReadCaseInput, readCaseId, type ReadCaseInput, type ReadCaseResult } from '../protocol/index.js';
import { caseSubject } from './case-subject.js';
import { defineStarter, type Starter } from './define-starter.js';

/** Starts (or joins) the reading of one case. Default id `case/<account>/<cnj>/<hash of the rest>`. */
export const startReadCase: Starter<ReadCaseInput, ReadCaseResult> = defineStarter({
  type: 'readCase',
  parse: parseReadCaseInput,
  place: ({ account, cnj, include, maxPages, relist }, deps) => {
    const { caseAttribute = cnj, label = '' } = caseSubject(deps, account, cnj);
    return {
      id: readCaseId(account, caseAttribute, deps.token('case reading', { include, maxPages, relist })),
      caseAttribute,
      summary: `Reads ${include.join(', ')} of ${label}`,
    };
  },
});
