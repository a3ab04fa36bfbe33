/** How long each place keeps its data: defaults with their reasons, and the settings of the file, old names included. Pure. */
import { ARCHIVE_AT_LEAST_MS, DAY_MS, parseDurationMs } from '../contract/values/index.js';
import type { Parsed } from '../protocol/index.js';

interface Rule {
  readonly days: number;
  readonly leastDays: number;
  /** Why a shorter time is refused. */
  readonly because: string;
}

/** Six months, for which access records must be kept: Lei 12.965/2014, art. 15. The longest begin on 1 March. */
const HALF_A_YEAR = 184;
/** Five years, after which claims lapse: Código Civil, art. 206 §5. They may have two leap days. */
const FIVE_YEARS = 1_827;
const LOOK_BACK = ARCHIVE_AT_LEAST_MS / DAY_MS;
const FLOWS = 'flows, waiters and evidence look back at younger rows';

/** Reasons for the defaults: docs/privacy.md. */
const RULES = {
  answers: { days: 400, leastDays: LOOK_BACK, because: FLOWS },
  records: { days: FIVE_YEARS, leastDays: LOOK_BACK, because: FLOWS },
  events: { days: 90, leastDays: 1, because: 'they are read right after they arrive' },
  eventKeys: { days: 730, leastDays: 60, because: 'a repeated delivery would be taken for a new one' },
  files: { days: FIVE_YEARS, leastDays: LOOK_BACK, because: FLOWS },
  archive: { days: 400, leastDays: LOOK_BACK, because: FLOWS },
  accessLog: { days: FIVE_YEARS, leastDays: HALF_A_YEAR, because: 'access records have to be kept this long' },
} as const satisfies Readonly<Record<string, Rule>>;

export type KeptPlace = keyof typeof RULES;
export const KEPT_PLACES = Object.keys(RULES) as readonly KeptPlace[];

/** How long each place keeps its data, in ms; null: forever. */
export type Retention = Readonly<Record<KeptPlace, number | null>>;

const FOREVER = 'forever';

/** A duration, or `"forever"`. */
export function parseKept(place: KeptPlace, text: string): Parsed<number | null> {
  if (text === FOREVER) return { ok: true, value: null };
  const { leastDays, because }: Rule = RULES[place];
  const expected = `expected a duration like "${RULES[place].days}d", or "forever"`;
  const ms = parseDurationMs(text);
  if (ms === undefined) return { ok: false, problem: expected };
  if (ms < leastDays * DAY_MS) {
    return { ok: false, problem: `seen ${text}; expected at least ${leastDays}d: ${because}` };
  }
  return { ok: true, value: ms };
}

type Times = { readonly [Place in KeptPlace]?: number | null | undefined };

interface Given {
  readonly retention?: Times | undefined;
  /** Older names of `retention.archive` and `retention.events`. */
  readonly archiveDays?: number | null | undefined;
  readonly eventBodiesDays?: number | null | undefined;
}

export function buildRetention({ retention, archiveDays, eventBodiesDays }: Given): Retention {
  const older: Times = { archive: archiveDays, events: eventBodiesDays };
  const entries = KEPT_PLACES.map((place) => {
    const given = retention?.[place];
    return [place, given === undefined ? (older[place] ?? RULES[place].days) * DAY_MS : given] as const;
  });
  const kept = Object.fromEntries(entries) as Retention;
  // Keys are kept at least as long as the bodies of their events.
  return retention?.eventKeys === undefined ? { ...kept, eventKeys: longer(kept.events, kept.eventKeys) } : kept;
}

function longer(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.max(one, other);
}

/** Settings that contradict each other, or set the same thing twice. */
export function retentionProblems(given: Given): readonly string[] {
  const { events, eventKeys } = buildRetention(given);
  const twice = (old: 'archiveDays' | 'eventBodiesDays', place: KeptPlace): readonly string[] =>
    typeof given[old] === 'number' && given.retention?.[place] !== undefined
      ? [`${old} and retention.${place} say the same thing; keep retention.${place}`]
      : [];
  return [
    ...twice('archiveDays', 'archive'),
    ...twice('eventBodiesDays', 'events'),
    ...(eventKeys !== null && (events === null || events > eventKeys)
      ? ['retention.events is longer than retention.eventKeys; an event goes whole with its key']
      : []),
  ];
}

/** `"400d"`, as in the file. */
export function keptText(ms: number | null): string {
  if (ms === null) return FOREVER;
  return ms % DAY_MS === 0 ? `${ms / DAY_MS}d` : `${ms / 1_000}s`;
}
