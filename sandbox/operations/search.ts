/**
 * Term search (interface, rules 1 to 4, every page charged) and its legacy form: bare payload, figures in `X-Service-*`
 * headers. The arguments decide which base answers: no period → local index; period and `qo` → official communications;
 * the word precatório and a budget year → budget records.
 */
import { z } from 'zod';
import { formatAmount, formatCnj } from '../../src/contract/index.js';
import { jsonAnswer } from '../answer.js';
import { cnjOfOwner, CORPUS_SIZE, type Corpus } from '../cases/corpus.js';
import { partiesOf } from '../cases/cover.js';
import { courtOf } from '../cases/court.js';
import { noticesOn } from '../cases/notices.js';
import { lawyerOf } from '../cases/people.js';
import { BUDGET_ROWS, budgetRow } from '../cases/precatorios.js';
import { addDays, civilDateOf, daysBetween } from '../civil/calendar.js';
import { deriveInteger } from '../derive.js';
import { budgetYears, matchesFilters } from './list-precatorios.js';
import { publicationLink } from './lawyers.js';
import { BUDGET_NAMES, budgetFilters, civilDate, pageMembers, paging, placesOn, reading, year } from './reading.js';
import { spell } from './spelling.js';
import type { View } from './types.js';
import { answered, answeredAs, refused } from './verdicts.js';

const query = z.string().trim().min(1).max(2_000);
const schema = z.looseObject({
  ...paging({ limit: 20, max: 50 }),
  q: query,
  qo: z.enum(['t', 'd']).optional(),
  ano_publicacao: year.optional(),
  data_publicacao_inicio: civilDate.optional(),
  data_publicacao_fim: civilDate.optional(),
  tribunal: z.string().max(20).optional(),
  ...budgetFilters,
});
const NAMES = { page: ['pagina'], ...BUDGET_NAMES };
type Args = z.output<typeof schema>;
/** How many days of a period are searched: a month of publications is enough for an imitation. */
const MAX_DAYS = 31;

export const searchTerm = reading(schema, NAMES, (args, view) => {
  const { settings } = view;
  const years = budgetYears(args);
  if (years === undefined) return refused(422, 'INVALID_PARAMETER', 'The budget years are not in order, or too many.');
  const period = periodOf(args, civilDateOf(view.nowMs));
  if (period === undefined) return refused(422, 'INVALID_PERIOD', 'The period ends before it begins.');
  const found = findItems(args, { years, period }, view);
  const facts = { page: args.page, limit: args.limit, total: found.total };
  const items = placesOn(facts).map((place) => spell(found.at(place), settings.dialect));
  const data = { items, ...pageMembers(facts, view) };
  const search = {
    mode: found.mode,
    period: period === 'none' ? null : period,
    filters: { tribunal: args.tribunal ?? null, anoOrcamentario: years.length === 0 ? null : years },
    quality: { confidence: 'MEDIUM' },
    capabilities: ['page', 'limit'],
    totalExact: true,
    warnings: found.mode === 'BUDGET_RECORDS' ? ['A budget year does not confirm a payment date.'] : [],
    partial: false,
    cacheHit: false,
  };
  return answered(data, view, { search });
});

interface Found {
  readonly mode: 'LOCAL_INDEX' | 'OFFICIAL_COMMUNICATIONS' | 'BUDGET_RECORDS';
  readonly total: number;
  at(place: number): unknown;
}

function findItems(
  args: Args,
  when: { readonly years: readonly number[]; readonly period: Period | 'none' },
  view: View,
): Found {
  const { seed, corpus } = view.settings;
  const word = args.q
    .normalize('NFD')
    .replace(/[^a-z]/gi, '')
    .toLowerCase();
  if (/^precatorios?$/.test(word) && when.years.length > 0) {
    const rows = when.years
      .flatMap((each) => Array.from({ length: BUDGET_ROWS }, (_, place) => budgetRow(seed, each, place)))
      .filter((row) => matchesFilters(row, { ...args, court: args.tribunal }, []));
    return { mode: 'BUDGET_RECORDS', total: rows.length, at: (place) => rows[place] };
  }
  if (when.period !== 'none' && args.qo !== undefined) {
    const { from, to } = when.period;
    const lawyer = lawyerOf(seed, 'term', args.q);
    const dates = Array.from({ length: Math.min(MAX_DAYS, daysBetween(from, to) + 1) }, (_, index) =>
      addDays(from, index),
    );
    const notices = dates
      .flatMap((date) => noticesOn({ seed, corpus }, lawyer, date))
      .filter((notice) => args.tribunal === undefined || courtOf(notice.cnj) === args.tribunal);
    const at = (place: number): unknown => {
      const notice = notices[place];
      if (notice === undefined) return undefined;
      return {
        id: notice.id,
        numeroCnj: formatCnj(notice.cnj),
        tribunal: courtOf(notice.cnj),
        dataPublicacao: notice.published,
        conteudo: notice.excerpt,
        confianca: 'ALTA',
        link: publicationLink(notice.diarioId, view),
      };
    };
    return { mode: 'OFFICIAL_COMMUNICATIONS', total: notices.length, at };
  }
  const index = localIndex({ seed, corpus }, args.q);
  return { mode: 'LOCAL_INDEX', ...index };
}

interface Period {
  readonly from: string;
  readonly to: string;
}

function periodOf(args: Args, today: string): Period | 'none' | undefined {
  const year = args.ano_publicacao;
  const from = args.data_publicacao_inicio ?? (year === undefined ? undefined : `${year}-01-01`);
  const to = args.data_publicacao_fim ?? (year === undefined ? undefined : `${year}-12-31`);
  if (from === undefined && to === undefined) return 'none';
  const first = from ?? addDays(to ?? today, 1 - MAX_DAYS);
  const wanted = to ?? today;
  const last = wanted > today ? today : wanted;
  return wanted < first ? undefined : { from: first, to: last < first ? first : last };
}

function localIndex(corpus: Corpus, q: string): Pick<Found, 'total' | 'at'> {
  const { seed } = corpus;
  const total = Math.min(deriveInteger(seed, 200, 'hits', q), CORPUS_SIZE[corpus.corpus]);
  const at = (place: number): unknown => {
    const cnj = cnjOfOwner(corpus, `term ${q}`, place);
    const { active, passive } = partiesOf(seed, cnj);
    return {
      numeroCnj: formatCnj(cnj),
      tribunal: courtOf(cnj),
      poloAtivo: active.nome,
      poloPassivo: passive.nome,
      confianca: 'MEDIA',
    };
  };
  return { total, at };
}

export const searchLegacy = reading(
  z.looseObject({ ...paging({ limit: 20, max: 50 }), q: query, qo: z.enum(['t', 'd']).optional() }),
  {},
  (args, view) => {
    const { settings } = view;
    const found = localIndex(settings, args.q);
    const facts = { page: args.page, limit: args.limit, total: found.total };
    const last = Math.max(1, Math.ceil(facts.total / facts.limit));
    const payload = {
      items: placesOn(facts).map((place) => spell(found.at(place), settings.dialect)),
      paginator: {
        total: facts.total,
        per_page: facts.limit,
        current_page: facts.page,
        last_page: last,
        total_pages: last,
      },
    };
    return answeredAs(
      (paid) =>
        jsonAnswer(200, payload, {
          'x-service-credits-charged': formatAmount(paid.charged),
          'x-service-credits-remaining': formatAmount(paid.balanceAfter),
          'x-service-request-id': paid.metaRequestId,
          'x-service-search-log-id': paid.searchLogId ?? '',
        }),
      view,
    );
  },
);
