/** Input of `importLawyerCases`. Pure. */
import { formatOabQuery, parseOab } from '../../contract/values/index.js';
import { COMMON_MEMBERS, commonSettings, type CommonInput, type CommonSettings } from './common.js';
import { guard, objectMembers, positiveInteger, problem, type Parsed } from './members.js';

/** Input of `importLawyerCases`: the registration of a lawyer whose whole list of cases is wanted. */
export interface ImportLawyerCasesInput extends CommonInput {
  /** Registration like `"SP:123456"`. */
  readonly oab: string;
  /** Items of a page; the service's default. */
  readonly pageSize?: number;
  /** How often page 1 may be bought in all, restarts included; 5. */
  readonly maxPaidChecks?: number;
}

export interface ImportLawyerCasesSettings extends CommonSettings {
  /** `UF:number`. */
  readonly oab: string;
  readonly pageSize?: number;
  readonly maxPaidChecks: number;
}

const MEMBERS = ['oab', 'pageSize', 'maxPaidChecks', ...COMMON_MEMBERS] as const;
const MAX_PAGE_SIZE = 1_000;
const MAX_PAID_CHECKS = 100;

export function parseImportLawyerCasesInput(input: unknown): Parsed<ImportLawyerCasesSettings> {
  return guard(() => {
    const members = objectMembers(input, MEMBERS, '{"oab":"SP:123456"}');
    const read = parseOab(members['oab']);
    if (!read.ok) throw problem('oab', read.problem);
    if (read.oab.sufixo !== undefined) throw problem('oab', 'has a suffix: the service takes UF:number only');
    return {
      ...commonSettings(members),
      oab: formatOabQuery(read.oab),
      ...(members['pageSize'] === undefined
        ? {}
        : { pageSize: positiveInteger(members, 'pageSize', 1, MAX_PAGE_SIZE) }),
      maxPaidChecks: positiveInteger(members, 'maxPaidChecks', 5, MAX_PAID_CHECKS),
    };
  });
}
