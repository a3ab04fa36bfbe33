/**
 * Electoral gazette item (R$ 0.05), edition PDF (R$ 0.08, figures in `X-Service-*` headers), and the board search
 * (R$ 0.15 a page, at most seven days, the high court and at most five regional ones). The names of the board's filters
 * are a gap.
 */
import { z } from 'zod';
import { formatAmount } from '../../src/contract/index.js';
import { pdfAnswer } from '../answer.js';
import {
  boardItems,
  ELECTORAL_COURTS,
  gazetteEdition,
  gazetteItem,
  readElectoralCourt,
  type BoardItem,
} from '../cases/electoral.js';
import { buildPdf } from '../cases/pdf.js';
import { addDays, civilDateOf, daysBetween } from '../civil/calendar.js';
import { civilDate, pageOf, paging, reading } from './reading.js';
import type { OperationHandler } from './types.js';
import { answeredAs, answeredRecord, refused } from './verdicts.js';

export const getElectoralPublication: OperationHandler = (view) => {
  const { settings, nowMs } = view;
  const item = gazetteItem(settings.seed, view.call.params['id'] ?? '', civilDateOf(nowMs));
  if (item === undefined) return refused(404, 'PUBLICATION_NOT_FOUND', 'There is no such publication.');
  return answeredRecord(item, view);
};

export const getElectoralEditionPdf: OperationHandler = (view) => {
  const id = view.call.params['id'] ?? '';
  const edition = gazetteEdition(id, civilDateOf(view.nowMs));
  if (edition === undefined) return refused(404, 'EDITION_NOT_FOUND', 'There is no such edition.');
  const body = buildPdf(
    [1, 2, 3].map((page) => `DJe Eleitoral ${edition.court} ${edition.date} - ${page}/3 (ficticio)`),
  );
  return answeredAs(
    (paid) =>
      pdfAnswer(body, `${id}.pdf`, {
        'x-service-credits-remaining': formatAmount(paid.balanceAfter),
        'x-service-search-log-id': paid.searchLogId ?? '',
      }),
    view,
  );
};

/** Interface "Limits". */
const MAX_DAYS = 7;
const MAX_REGIONAL = 5;
const text = z.string().max(500).optional();
const schema = z.looseObject({
  ...paging({ limit: 20, max: 50 }),
  from: civilDate.optional(),
  to: civilDate.optional(),
  courts: text,
  party: text,
  lawyer: text,
  unit: text,
  document: text,
  locality: text,
  process: text,
});
const NAMES = {
  from: ['data_inicio', 'dataInicio', 'inicio', 'periodo_inicio'],
  to: ['data_fim', 'dataFim', 'fim', 'periodo_fim'],
  courts: ['tribunais', 'tribunal'],
  party: ['parte'],
  lawyer: ['advogado'],
  unit: ['unidade'],
  document: ['documento'],
  locality: ['localidade'],
  process: ['processo', 'numero_processo'],
};

export const searchElectoralBoard = reading(schema, NAMES, (args, view) => {
  const { settings, nowMs } = view;
  const to = args.to ?? args.from ?? civilDateOf(nowMs);
  const from = args.from ?? addDays(to, 1 - MAX_DAYS);
  const days = daysBetween(from, to) + 1;
  if (days < 1 || days > MAX_DAYS) return refused(422, 'INVALID_PERIOD', `The period must be 1 to ${MAX_DAYS} days.`);
  const wanted = args.courts === undefined ? ['TSE'] : args.courts.split(',').map(readElectoralCourt);
  const courts = [...new Set(wanted)].filter((court): court is string => court !== undefined);
  if (wanted.includes(undefined)) return refused(422, 'INVALID_COURT', 'There is no such electoral court.');
  if (courts.filter((court) => court !== ELECTORAL_COURTS[0]).length > MAX_REGIONAL) {
    return refused(422, 'TOO_MANY_COURTS', `At most ${MAX_REGIONAL} regional courts.`);
  }
  const dates = Array.from({ length: days }, (_, index) => addDays(from, index)).filter(
    (date) => date <= civilDateOf(nowMs),
  );
  const all = courts
    .flatMap((court) => dates.flatMap((date) => boardItems(settings.seed, court, date)))
    .filter((item) => matches(item, args));
  const { rows, members } = pageOf(all, args, view);
  const data = { publicacoes: rows, items: rows, periodo: { inicio: from, fim: to }, tribunais: courts, ...members };
  return answeredRecord(data, view);
});

function matches(item: BoardItem, args: z.output<typeof schema>): boolean {
  const has = (wanted: string | undefined, value: string): boolean =>
    wanted === undefined || value.toLowerCase().includes(wanted.toLowerCase());
  return (
    has(args.party, item.parte) &&
    has(args.lawyer, `${item.advogado.nome} ${item.advogado.oab}`) &&
    has(args.unit, item.unidade) &&
    has(args.document, item.documento) &&
    has(args.locality, item.localidade) &&
    has(args.process?.replace(/\D/g, ''), item.numeroCnj.replace(/\D/g, ''))
  );
}
