/** Input of `collectPages`. Pure. */
import type { Parameters } from '../../contract/route.js';
import { operationId, parameters } from './arguments.js';
import { COMMON_MEMBERS, commonSettings, type CommonInput, type CommonSettings } from './common.js';
import { guard, objectMembers, positiveInteger, problem, type Parsed } from './members.js';

/** Input of `collectPages`: an operation with pages, and how many of them may be bought. */
export interface CollectPagesInput extends CommonInput {
  /** Id of an operation that answers in pages. */
  readonly operation: string;
  /** By the service's own names; of the first page. */
  readonly params?: Parameters;
  /** Each page is a charged call. */
  readonly maxPages: number;
}

export interface CollectPagesSettings extends CommonSettings {
  readonly operation: string;
  readonly params: Parameters;
  readonly maxPages: number;
}

const MEMBERS = ['operation', 'params', 'maxPages', ...COMMON_MEMBERS] as const;
/** Of one run: its history stays far below the limits of the server. */
export const MAX_COLLECTED_PAGES = 500;

export function parseCollectPagesInput(input: unknown): Parsed<CollectPagesSettings> {
  return guard(() => {
    const members = objectMembers(input, MEMBERS, '{"operation":"searchTerm","params":{"q":"…"},"maxPages":3}');
    if (members['maxPages'] === undefined) {
      throw problem('maxPages', 'is missing: each page is a charged call, say how many at most');
    }
    return {
      ...commonSettings(members),
      operation: operationId(members),
      params: parameters(members),
      maxPages: positiveInteger(members, 'maxPages', 1, MAX_COLLECTED_PAGES),
    };
  });
}
