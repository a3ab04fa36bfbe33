/** Where the canaries were found, and what that means: a table, and the violations. Pure. */
import { notZero, type Report } from '../report.js';
import { formatTable } from '../format-table.js';
import { CANARY_KINDS, needlesOf, type Canaries, type CanaryKind, type Needle } from './canaries.js';
import type { Contents } from './collect.js';
import { mayHold, mustHold, PLACES, type Mode, type PlaceName } from './places.js';
import { countHits, showHits, type Hits } from './search.js';

export interface Finding {
  readonly mode: Mode;
  readonly table: string;
  readonly hits: Readonly<Record<string, Hits>>;
  /** Canaries in places where none may be. */
  readonly leaks: readonly string[];
  /** Canaries that are missing where they must be, and spellings that the search does not find: the run then proves nothing. */
  readonly silent: readonly string[];
}

const SHOWN = 3;

export function lookFor(
  contents: Contents,
  needles: readonly Needle[],
  { mode, canaries }: { readonly mode: Mode; readonly canaries: Canaries },
): Finding {
  const hits = Object.fromEntries(PLACES.map((place) => [place, countHits(contents[place] ?? [], needles)])) as Record<
    PlaceName,
    Hits
  >;
  const leaks = PLACES.flatMap((place) =>
    CANARY_KINDS.filter((kind) => hits[place][kind] > 0 && !mayHold(place, kind, mode)).flatMap((kind) => [
      `${mode}: ${kind} stands ${hits[place][kind]} times in the ${place}`,
      ...showHits(contents[place] ?? [], ofKind(needles, kind), SHOWN).map((text) => `  … ${text}`),
    ]),
  );
  const missed = CANARY_KINDS.flatMap((kind) =>
    mustHold(kind, mode)
      .filter((place) => hits[place][kind] === 0)
      .map((place) => `${mode}: ${kind} is not in the ${place}, where it has to be`),
  );
  const empty = PLACES.filter(
    (place) => (contents[place] ?? []).every((part) => part.length === 0) && place !== 'spool',
  );
  return {
    mode,
    hits,
    leaks,
    table: tableOf(hits, mode),
    silent: [
      ...missed,
      ...empty.map((place) => `${mode}: nothing was read from the ${place}`),
      ...spellingsNotFound(canaries).map((text) => `the search does not find ${text}`),
    ],
  };
}

/** Runs the search on each canary in each spelling: what it misses here, it would miss everywhere. */
function spellingsNotFound(canaries: Canaries): readonly string[] {
  const needles = needlesOf(canaries, ['0123456789abcdef'.repeat(4)]);
  return needles
    .filter(({ kind, text }) => countHits([Buffer.from(`before ${text} after`)], needles)[kind] === 0)
    .map(({ kind, text }) => `${kind} as ${text}`);
}

function ofKind(needles: readonly Needle[], kind: CanaryKind): readonly Needle[] {
  return needles.filter((needle) => needle.kind === kind);
}

/** A star marks a place that may hold the kind. */
function tableOf(hits: Readonly<Record<PlaceName, Hits>>, mode: Mode): string {
  const rows = PLACES.map((place) => [
    place,
    ...CANARY_KINDS.map((kind) => `${hits[place][kind]}${mayHold(place, kind, mode) ? '*' : ''}`),
  ]);
  return formatTable([[mode, ...CANARY_KINDS], ...rows]);
}

export function reportCanaries(findings: readonly Finding[]): Report {
  const leaks = findings.flatMap((finding) => finding.leaks);
  const silent = findings.flatMap((finding) => finding.silent);
  const figures = {
    modes: findings.map(({ mode }) => mode),
    kinds: CANARY_KINDS.length,
    places: PLACES.length,
    leaks: leaks.filter((text) => !text.startsWith('  ')).length,
    silent: silent.length,
  };
  const table = findings.map((finding) => finding.table).join('\n\n');
  return { figures, table, problems: [...leaks, ...silent], broken: notZero(figures, ['leaks', 'silent']) };
}
