/** `refreshCase`: the service asks the court about a case again, with or without its documents. */
import { defineFlow, nameCase, workflowIdOf } from '../flow.js';
import { caseNumber, pages, withFlag, yesNo } from '../inputs/kinds.js';
import { problem } from '../inputs/members.js';
import type { CommonInput } from '../inputs/common.js';
import type { DocumentResult, FlowCosts } from '../results.js';

/** Input of `refreshCase`: a case that the service is to ask its court about again, with or without its documents. */
export interface RefreshCaseInput extends CommonInput {
  /** Case number, 20 digits or with its mask. */
  readonly cnj: string;
  /** Also list the public documents after the refresh; `false`. */
  readonly documents?: boolean;
  /** Pages of the documents list, each a charged call; 1. */
  readonly maxPages?: number;
  /** Also download the files of the listed documents; `false`, needs `documents`. */
  readonly download?: boolean;
  /** List again (paid) when a signed link has expired. */
  readonly relist?: boolean;
}

/** Result of `refreshCase`: the refreshed case, and its documents where they were asked for. */
export interface RefreshCaseResult extends FlowCosts {
  /** Case number, 20 digits. */
  readonly cnj: string;
  /** A refresh that ended badly is a failure, `RefreshFailed`. */
  readonly status: 'done';
  /** Word of the service for the end of the refresh. */
  readonly rawStatus: string | null;
  /** ISO 8601 instant at which the refresh was known to be finished. */
  readonly refreshedAt: string;
  /** True when the refresh had been paid for before (by `maxAge`, `once` or another flow) and nothing was sent. */
  readonly reused: boolean;
  /** Public documents of the pages that were listed. */
  readonly documents: readonly DocumentResult[];
  /** How many documents the service says there are, else how many were listed. */
  readonly documentCount: number;
  /** The service has, or does not rule out, more pages than were listed. */
  readonly moreDocuments: boolean;
  /** Present and true when lists were cut to keep the result small; the whole is in the database. */
  readonly truncated?: true;
}

export const refreshCase = defineFlow<RefreshCaseInput, RefreshCaseResult>()({
  idPrefix: 'refresh',
  scheduled: true,
  example: '{"cnj":"NNNNNNN-DD.AAAA.J.TR.OOOO"}',
  members: {
    cnj: caseNumber,
    documents: withFlag(yesNo, { help: 'also list the public documents (each page is a charged call)' }),
    maxPages: pages(1_000),
    download: withFlag(yesNo, { help: 'also download the files' }),
    relist: withFlag(yesNo, { help: 'list again (charged) when a signed link has expired' }),
  },
  combine: ({ cnj, ...read }) => {
    const { documents, download, relist } = read;
    if (download && !documents) {
      throw problem('download', 'needs "documents": true, because files come from the list of documents');
    }
    if (relist && !download)
      throw problem('relist', 'needs "download": true, because it lists again only for expired links');
    return { ...cnj, ...read };
  },
  place: ({ account, cnj, documents }, naming) => {
    const { key, label } = nameCase(naming, account, cnj);
    return {
      id: [key],
      caseAttribute: key,
      summary: `Refresh of ${label}${documents ? ' with its public documents' : ''}`,
    };
  },
});

/** Default workflow id of `refreshCase`. `caseKey`: the 20-digit number, or a token where the account masks. */
export function refreshCaseId(account: string, caseKey: string): string {
  return workflowIdOf(refreshCase, account, caseKey);
}
