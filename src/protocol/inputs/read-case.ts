/** Input of `readCase`. Pure. */
import type { Cnj } from '../../contract/values/index.js';
import { COMMON_MEMBERS, commonSettings, type CommonInput, type CommonSettings } from './common.js';
import { caseNumber, flag, guard, objectMembers, positiveInteger, problem, type Parsed } from './members.js';

export const CASE_PARTS = ['cover', 'movements', 'documents', 'summary'] as const;
/** What can be read of a case; each part is a charged call of its own. */
export type CasePart = (typeof CASE_PARTS)[number];

/** Input of `readCase`: a case, and what to read of it. */
export interface ReadCaseInput extends CommonInput {
  readonly cnj: string;
  /** What is read, each a charged call of its own; nothing else is. */
  readonly include: readonly CasePart[];
  /** Pages of movements and of documents, each a charged call; 1. */
  readonly maxPages?: number;
  /** List the documents again (paid) whatever `maxAge` allows: fresh links. */
  readonly relist?: boolean;
}

export interface ReadCaseSettings extends CommonSettings {
  readonly cnj: Cnj;
  readonly courtKnown: boolean;
  readonly include: readonly CasePart[];
  readonly maxPages: number;
  readonly relist: boolean;
}

const MEMBERS = ['cnj', 'include', 'maxPages', 'relist', ...COMMON_MEMBERS] as const;
const MAX_PAGES = 100;

export function parseReadCaseInput(input: unknown): Parsed<ReadCaseSettings> {
  return guard(() => {
    const members = objectMembers(input, MEMBERS, '{"cnj":"NNNNNNN-DD.AAAA.J.TR.OOOO","include":["cover"]}');
    const known = caseNumber(members);
    const include = parts(members['include']);
    const relist = flag(members, 'relist');
    if (relist && !include.includes('documents')) throw problem('relist', 'needs "documents" in include');
    const maxPages = positiveInteger(members, 'maxPages', 1, MAX_PAGES);
    return { ...commonSettings(members), ...known, include, maxPages, relist };
  });
}

/** In the order of {@link CASE_PARTS}, so that equal inputs read in equal order. */
function parts(given: unknown): readonly CasePart[] {
  if (
    !Array.isArray(given) ||
    given.length === 0 ||
    !given.every((part) => CASE_PARTS.some((known) => known === part))
  ) {
    throw problem('include', `must be a list of what to read: ${CASE_PARTS.join(', ')}`, given ?? null);
  }
  return CASE_PARTS.filter((part) => given.includes(part));
}
