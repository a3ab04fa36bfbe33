/** Starting `summarizeCase` idempotently: id from the case. */
import {
  parseSummarizeCaseInput,
  summarizeCaseId,
  type SummarizeCaseInput,
  type SummarizeCaseResult,
} from '../protocol/index.js';
import { caseSubject } from './case-subject.js';
import { defineStarter, type Starter } from './define-starter.js';

/** Starts (or joins) the summary of one case. Default id `summary/<account>/<cnj>`. */
export const startSummarizeCase: Starter<SummarizeCaseInput, SummarizeCaseResult> = defineStarter({
  type: 'summarizeCase',
  parse: parseSummarizeCaseInput,
  place: ({ account, cnj }, deps) => {
    const { caseAttribute = cnj, label = '' } = caseSubject(deps, account, cnj);
    return { id: summarizeCaseId(account, caseAttribute), caseAttribute, summary: `Summary of ${label}` };
  },
});
