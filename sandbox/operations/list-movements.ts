/**
 * GET movimentacoes: newest first, paged by `page`/`limit` or by `cursor` + `li`. The next link uses the latter, which
 * neither repeats nor skips items when new movements arrive. Items have no id, as observed.
 */
import { z } from 'zod';
import { formatCnj } from '../../src/contract/index.js';
import { SEALED_CANARY } from '../cases/cover.js';
import { courtOf } from '../cases/court.js';
import { movementAt, movementCount } from '../cases/movements.js';
import { isSealed } from './get-case.js';
import { nextHref, paging, positive, reading } from './reading.js';
import { answeredRecord, refusedCase } from './verdicts.js';

const schema = z.looseObject({
  ...paging({ limit: 20, max: 100 }),
  /** How many movements remain; they are the oldest ones, and the page begins with the newest of them. */
  cursor: positive.optional(),
  li: positive.transform((li) => Math.min(li, 100)).optional(),
});

export const listMovements = reading(schema, {}, ({ page, limit, cursor, li }, view) => {
  const cnj = view.call.params['cnj'] ?? '';
  if (!view.traits(cnj).exists) return refusedCase();
  const { seed } = view.settings;
  const total = movementCount(seed, cnj, view.nowMs);
  const size = cursor === undefined ? limit : (li ?? limit);
  const newest = Math.min(cursor ?? total - (page - 1) * size, total);
  const places = Array.from({ length: Math.max(0, Math.min(size, newest)) }, (_, index) => newest - 1 - index);
  const after = newest - size;
  const sealed = isSealed(cnj, view);
  const next = { cursor: String(after), li: String(size) };
  return answeredRecord(
    {
      numeroCnj: formatCnj(cnj),
      movimentacoes: places.map((place) => {
        const { date, text, kind } = movementAt(seed, cnj, place);
        return {
          data: date,
          tipo: kind,
          conteudo: sealed ? SEALED_CANARY : text,
          fonte: { nome: courtOf(cnj), tipo: 'TRIBUNAL', grau: 1 },
        };
      }),
      total,
      pagination: { per_page: size },
      links: {
        next: after > 0 ? { href: nextHref(next, { ...view, call: { ...view.call, query: {} } }), ...next } : null,
      },
    },
    view,
  );
});
