/** Input of `syncNotices`. Pure. */
import { parseCivilDate, type CivilDate, present } from '../../contract/values/index.js';
import { COMMON_MEMBERS, commonSettings, type CommonInput, type CommonSettings } from './common.js';
import { flag, guard, objectMembers, problem, type Parsed } from './members.js';
import { oabList } from './oabs.js';

/** Input of `syncNotices`: the registrations of lawyers whose notices are read. */
export interface SyncNoticesInput extends CommonInput {
  /** Registrations like `"SP:123456"`. */
  readonly oabs: readonly string[];
  /** First civil day (São Paulo) to ask for; default: the day read last, minus five days of overlap. */
  readonly since?: string;
  /** Also buy the full text of every publication that has none yet. */
  readonly fullText?: boolean;
}

export interface SyncNoticesSettings extends CommonSettings {
  /** `UF:number`, each once, sorted. */
  readonly oabs: readonly string[];
  readonly since?: CivilDate;
  readonly fullText: boolean;
}

const MEMBERS = ['oabs', 'since', 'fullText', ...COMMON_MEMBERS] as const;

export function parseSyncNoticesInput(input: unknown): Parsed<SyncNoticesSettings> {
  return guard(() => {
    const members = objectMembers(input, MEMBERS, '{"oabs":["SP:123456"]}');
    const since = sinceDay(members['since']);
    return {
      ...commonSettings(members),
      oabs: oabList(members),
      ...present({ since }),
      fullText: flag(members, 'fullText'),
    };
  });
}

function sinceDay(value: unknown): CivilDate | undefined {
  if (value === undefined) return undefined;
  const day = parseCivilDate(value);
  if (day === undefined) throw problem('since', 'must be a day that exists, like "2026-03-01"', value);
  return day;
}
