/** Input of `refreshCase`. Pure. */
import type { Cnj } from '../../contract/values/index.js';
import { COMMON_MEMBERS, commonSettings, type CommonInput, type CommonSettings } from './common.js';
import { caseNumber, flag, guard, objectMembers, positiveInteger, problem, type Parsed } from './members.js';

/** Input of `refreshCase`: a case that the service is to ask its court about again, with or without its documents. */
export interface RefreshCaseInput extends CommonInput {
  readonly cnj: string;
  readonly documents?: boolean;
  /** Pages of the documents list, each a charged call; 1. */
  readonly maxPages?: number;
  readonly download?: boolean;
  /** List again (paid) when a signed link has expired. */
  readonly relist?: boolean;
}

export interface RefreshCaseSettings extends CommonSettings {
  readonly cnj: Cnj;
  readonly courtKnown: boolean;
  readonly documents: boolean;
  readonly maxPages: number;
  readonly download: boolean;
  readonly relist: boolean;
}

const REFRESH_MEMBERS = ['cnj', 'documents', 'maxPages', 'download', 'relist', ...COMMON_MEMBERS] as const;
const MAX_PAGES = 1_000;

/** Input of `refreshCase`; `problem` names the member, what was seen and what is expected. */
export function parseRefreshCaseInput(input: unknown): Parsed<RefreshCaseSettings> {
  return guard(() => {
    const members = objectMembers(input, REFRESH_MEMBERS, '{"cnj":"NNNNNNN-DD.AAAA.J.TR.OOOO"}');
    const known = caseNumber(members);
    const documents = flag(members, 'documents');
    const download = flag(members, 'download');
    const relist = flag(members, 'relist');
    const maxPages = positiveInteger(members, 'maxPages', 1, MAX_PAGES);
    if (download && !documents)
      throw problem('download', 'needs "documents": true, files come from the documents list');
    if (relist && !download) throw problem('relist', 'needs "download": true, it lists again only for expired links');
    return {
      ...commonSettings(members),
      ...known,
      documents,
      maxPages,
      download,
      relist,
    };
  });
}
