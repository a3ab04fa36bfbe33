/**
 * The movements of a case, each derived from seed, number and place, so every page costs the same. Their counts follow
 * the national stock (median 25, p95 150, p99 600, at most 5,000). One case in three gets a new movement every week.
 * Pure.
 */
import { addDays, civilDateOf, daysBetween } from '../civil/calendar.js';
import { deriveInteger } from '../derive.js';

export interface Movement {
  /** 0 is the oldest. */
  readonly place: number;
  readonly date: string;
  readonly text: string;
  readonly kind: 'ANDAMENTO' | 'PUBLICACAO';
}

/** A Monday; the weekly movements are counted from here. */
const GENESIS = '2026-10-05';
const MOVING_SHARE = 3;
const TEXTS = [
  'Conclusos para despacho',
  'Juntada de petição',
  'Expedida certidão',
  'Publicado despacho no diário',
  'Decorrido prazo',
  'Remetidos os autos',
  'Proferida decisão interlocutória',
  'Recebidos os autos',
];

export function movementCount(seed: string, cnj: string, nowMs: number): number {
  return historic(seed, cnj) + weekly(seed, cnj, civilDateOf(nowMs));
}

export function movementAt(seed: string, cnj: string, place: number): Movement {
  const before = historic(seed, cnj);
  const date =
    place < before
      ? addDays(GENESIS, -(before - place) * (1 + deriveInteger(seed, 9, 'pace', cnj)))
      : addDays(GENESIS, (place - before) * 7 + deriveInteger(seed, 5, 'weekday', cnj));
  const text = TEXTS[deriveInteger(seed, TEXTS.length, 'movement', cnj, place)] ?? '';
  return {
    place,
    date,
    text: `${text} (andamento fictício ${place + 1})`,
    kind: text.startsWith('Publicado') ? 'PUBLICACAO' : 'ANDAMENTO',
  };
}

/** Weekly movements later than `after`, up to and including `until`. */
export function movementsOn(
  seed: string,
  cnj: string,
  days: { readonly after: string; readonly until: string },
): readonly Movement[] {
  const before = historic(seed, cnj);
  const first = weekly(seed, cnj, days.after);
  const count = weekly(seed, cnj, days.until) - first;
  return Array.from({ length: count }, (_, index) => movementAt(seed, cnj, before + first + index));
}

function historic(seed: string, cnj: string): number {
  const draw = deriveInteger(seed, 1_000, 'movements', cnj);
  const within = (from: number, to: number): number => from + deriveInteger(seed, to - from + 1, 'movement count', cnj);
  if (draw < 500) return within(3, 25);
  if (draw < 950) return within(26, 150);
  return draw < 990 ? within(151, 600) : within(601, 5_000);
}

/** How many weekly movements there are up to this day. */
function weekly(seed: string, cnj: string, date: string): number {
  if (deriveInteger(seed, MOVING_SHARE, 'moves', cnj) !== 0) return 0;
  const days = daysBetween(GENESIS, date) - deriveInteger(seed, 5, 'weekday', cnj);
  return days < 0 ? 0 : Math.floor(days / 7) + 1;
}
