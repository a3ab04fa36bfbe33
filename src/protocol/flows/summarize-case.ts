/** `summarizeCase`: asks for the summary of a case, waits, reads it. */
import type { JsonObject } from '../../contract/json.js';
import { defineFlow, nameCase, workflowIdOf } from '../flow.js';
import { caseNumber } from '../inputs/kinds.js';
import type { CommonInput } from '../inputs/common.js';
import type { FlowCosts } from '../results.js';

/** Input of `summarizeCase`: the case to be summarized. */
export interface SummarizeCaseInput extends CommonInput {
  /** Case number, 20 digits or with its mask. */
  readonly cnj: string;
}

/** Result of `summarizeCase`: the summary as the service gives it. */
export interface SummarizeCaseResult extends FlowCosts {
  /** Case number, 20 digits. */
  readonly cnj: string;
  /** A summary that ended badly is a failure, `RefreshFailed`. */
  readonly status: 'done';
  /** `data` of the answer as read; null where it is larger than a result may be (`truncated`): it is in the database. */
  readonly summary: JsonObject | null;
  /** ISO 8601 instant that the summary carries. */
  readonly updatedAt?: string;
  /** True when request and reading had been paid for before. */
  readonly reused: boolean;
  /** Present and true when the summary is too large for a result: it is in the database. */
  readonly truncated?: true;
}

export const summarizeCase = defineFlow<SummarizeCaseInput, SummarizeCaseResult>()({
  idPrefix: 'summary',
  example: '{"cnj":"NNNNNNN-DD.AAAA.J.TR.OOOO"}',
  members: { cnj: caseNumber },
  combine: ({ cnj }) => cnj,
  place: ({ account, cnj }, naming) => {
    const { key, label } = nameCase(naming, account, cnj);
    return { id: [key], caseAttribute: key, summary: `Summary of ${label}` };
  },
});

/** Default workflow id of `summarizeCase`. `caseKey`: as of `refreshCaseId`. */
export function summarizeCaseId(account: string, caseKey: string): string {
  return workflowIdOf(summarizeCase, account, caseKey);
}
