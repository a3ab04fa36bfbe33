/** `readCase`: parts of one case, each a charged call of its own. */
import type { JsonObject } from '../../contract/json.js';
import { defineFlow, nameCase, workflowIdOf } from '../flow.js';
import { caseNumber, member, pages, withFlag, yesNo } from '../inputs/kinds.js';
import { problem, type Member } from '../inputs/members.js';
import type { MovementResult } from '../answer-parts.js';
import type { CommonInput } from '../inputs/common.js';
import type { DocumentResult, FlowCosts } from '../results.js';

const CASE_PARTS = ['cover', 'movements', 'documents', 'summary'] as const;
/** What can be read of a case; each part is a charged call of its own. */
export type CasePart = (typeof CASE_PARTS)[number];

/** Input of `readCase`: a case, and what to read of it. */
export interface ReadCaseInput extends CommonInput {
  /** Case number, 20 digits or with its mask. */
  readonly cnj: string;
  /** What is read, each a charged call of its own; nothing else is. */
  readonly include: readonly CasePart[];
  /** Pages of movements and of documents, each a charged call; 1. */
  readonly maxPages?: number;
  /** List the documents again (paid) whatever `maxAge` allows: fresh links. */
  readonly relist?: boolean;
}

/** Result of `readCase`: one member per item of `include`. */
export interface ReadCaseResult extends FlowCosts {
  /** Case number, 20 digits. */
  readonly cnj: string;
  /** `data` of the answer as read, without the raw copy; absent when larger than a result may be. */
  readonly cover?: JsonObject;
  /** Movements of the pages that were read. */
  readonly movements?: readonly MovementResult[];
  /** How many movements the service says there are, else how many were read. */
  readonly movementCount?: number;
  /** Not all pages of movements were read. */
  readonly moreMovements?: boolean;
  /** Public documents of the pages that were read, without files. */
  readonly documents?: readonly DocumentResult[];
  /** How many documents the service says there are, else how many were listed. */
  readonly documentCount?: number;
  /** The service has, or does not rule out, more pages of documents than were read. */
  readonly moreDocuments?: boolean;
  /** `data` of the answer as read. */
  readonly summary?: JsonObject;
  /** Lists were cut to keep the result small; the whole is in the database. */
  readonly truncated?: true;
}

/** In the order of {@link CASE_PARTS}, so that equal inputs read in equal order. */
const parts: Member<readonly CasePart[]> = withFlag(
  member(
    `must be a list of what to read: ${CASE_PARTS.join(', ')}`,
    { type: 'array', minItems: 1, items: { type: 'string', enum: CASE_PARTS } },
    (value) => {
      const given: readonly unknown[] = Array.isArray(value) ? value : [];
      const known = given.length > 0 && given.every((part) => CASE_PARTS.some((each) => each === part));
      return known ? CASE_PARTS.filter((part) => given.includes(part)) : undefined;
    },
  ),
  { takes: '<parts>', form: 'list', help: `what readCase reads: ${CASE_PARTS.join(',')} (each charged)` },
);

export const readCase = defineFlow<ReadCaseInput, ReadCaseResult>()({
  idPrefix: 'case',
  example: '{"cnj":"NNNNNNN-DD.AAAA.J.TR.OOOO","include":["cover"]}',
  members: {
    cnj: caseNumber,
    include: parts,
    maxPages: pages(100),
    relist: withFlag(yesNo, { help: 'list again (charged) when a signed link has expired' }),
  },
  combine: ({ cnj, ...read }) => {
    if (read.relist && !read.include.includes('documents')) throw problem('relist', 'needs "documents" in include');
    return { ...cnj, ...read };
  },
  place: ({ account, cnj, include, maxPages, relist }, naming) => {
    const { key, label } = nameCase(naming, account, cnj);
    return {
      id: [key, naming.token('case reading', { include, maxPages, relist })],
      caseAttribute: key,
      summary: `Reads ${include.join(', ')} of ${label}`,
    };
  },
});

/** Default workflow id of `readCase`. `token`: of everything but the case. */
export function readCaseId(account: string, caseKey: string, token: string): string {
  return workflowIdOf(readCase, account, caseKey, token);
}
