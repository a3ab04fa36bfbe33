/**
 * Plans the queries of a sync of notices. Registrations with the same first day share a query, so that a new registration does
 * not widen the query of the others. Pure apart from what {@link planNotices} reads and stores.
 */
import { addCivilDays, countCivilDays, present, type CivilDate } from '../../contract/index.js';
import type { NoticeBatch, NoticesPlan, PlanNoticesInput } from '../../protocol/index.js';
import type { ActivityDeps } from '../deps.js';

/** Notices may be entered late; a repeated one costs nothing more, because the query is priced by registration. */
const OVERLAP_DAYS = 5;
/** The service returns "recent notices" and does not say how far back they go; a month was observed. */
export const REACH_DAYS = 30;
/** Keeps the request line short. */
const MOST_PER_QUERY = 20;

interface Deps<Reads extends keyof ActivityDeps['notices']> {
  readonly notices: Pick<ActivityDeps['notices'], 'today' | 'watermarks' | Reads>;
  readonly clock: Pick<ActivityDeps['clock'], 'nowMs'>;
}

/**
 * The plan of the first start with this `once`, or else of the first run, so that paid queries are made again with the same
 * arguments (docs/decisions/0073).
 */
export function planNotices(deps: Deps<'keepFirst'>, input: PlanNoticesInput): Promise<NoticesPlan> {
  return planBy(deps, input, (sync) => deps.notices.keepFirst(sync));
}

/** What {@link planNotices} would give now. */
export function peekNotices(deps: Deps<'peekFirst'>, input: PlanNoticesInput): Promise<NoticesPlan> {
  return planBy(deps, input, async (sync) => (await deps.notices.peekFirst(sync)) ?? sync.now);
}

async function planBy(
  { notices, clock }: Deps<never>,
  { account, oabs, since, once, firstRunId }: PlanNoticesInput,
  firstOf: ActivityDeps['notices']['keepFirst'],
): Promise<NoticesPlan> {
  const today = await notices.today(clock.nowMs());
  const known = new Map((await notices.watermarks(account, oabs)).map(({ oab, readUntil }) => [oab, readUntil]));
  const decided = decideBatches({ oabs, today, known, ...present({ since: since as CivilDate | undefined }) });
  if (since !== undefined && since > today) {
    const problem = `input.since ${since} is later than today, ${today} in São Paulo: there is nothing to read yet`;
    return { today, ...decided, problem };
  }
  const start = once ?? (firstRunId === undefined ? undefined : { firstRunId });
  if (start === undefined || since !== undefined) return { today, ...decided };
  const now = { today, readUntil: oabs.map((oab) => known.get(oab) ?? null) };
  const first = await firstOf({ account, start, now });
  const knownThen = new Map(oabs.map((oab, at) => [oab, first.readUntil[at] ?? undefined]));
  const { batches, gap } = decideBatches({ oabs, today: first.today, known: knownThen });
  return { today, batches, gap: decided.gap ?? gap };
}

export function decideBatches(facts: {
  readonly oabs: readonly string[];
  readonly today: CivilDate;
  readonly since?: CivilDate;
  readonly known: ReadonlyMap<string, CivilDate | undefined>;
}): Pick<NoticesPlan, 'batches' | 'gap'> {
  const { oabs, today, since, known } = facts;
  const byDay = new Map<CivilDate | null, string[]>();
  let oldest: CivilDate | undefined;
  for (const oab of oabs) {
    const read = known.get(oab);
    const from = since ?? (read === undefined ? null : addCivilDays(read, -OVERLAP_DAYS));
    byDay.set(from, [...(byDay.get(from) ?? []), oab]);
    // Notices since that day were not read, and may have come and gone.
    const unreadSince = since ?? read;
    if (unreadSince !== undefined && (oldest === undefined || unreadSince < oldest)) oldest = unreadSince;
  }
  const batches = [...byDay.entries()].flatMap(([desde, members]) =>
    chunk(members, MOST_PER_QUERY).map((some): NoticeBatch => ({ oabs: some, desde })),
  );
  // A query reaches back to the day after this one.
  const to = addCivilDays(today, -REACH_DAYS - 1);
  const gap = oldest !== undefined && oldest <= to ? { from: oldest, to, days: countCivilDays(oldest, to) } : null;
  return { batches, gap };
}

function chunk<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  );
}
