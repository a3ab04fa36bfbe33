/** Input of `summarizeCase`. Pure. */
import type { Cnj } from '../../contract/values/index.js';
import { COMMON_MEMBERS, commonSettings, type CommonInput, type CommonSettings } from './common.js';
import { caseNumber, guard, objectMembers, type Parsed } from './members.js';

/** Input of `summarizeCase`: the case to be summarized. */
export interface SummarizeCaseInput extends CommonInput {
  readonly cnj: string;
}

export interface SummarizeCaseSettings extends CommonSettings {
  readonly cnj: Cnj;
  readonly courtKnown: boolean;
}

export function parseSummarizeCaseInput(input: unknown): Parsed<SummarizeCaseSettings> {
  return guard(() => {
    const members = objectMembers(input, ['cnj', ...COMMON_MEMBERS], '{"cnj":"NNNNNNN-DD.AAAA.J.TR.OOOO"}');
    return { ...commonSettings(members), ...caseNumber(members) };
  });
}
