/** Notices by OAB (priced per registration) and the full text of a publication. */
import { z } from 'zod';
import { formatCnj, type Amount } from '../../src/contract/index.js';
import { courtOf } from '../cases/court.js';
import { noticeOf, noticesOn, type Notice } from '../cases/notices.js';
import { oabKey, readOab, type Lawyer } from '../cases/people.js';
import { addDays, civilDateOf, daysBetween } from '../civil/calendar.js';
import { publicationLink } from './lawyers.js';
import { civilDate, reading } from './reading.js';
import type { OperationHandler, View } from './types.js';
import { answeredRecord, refused } from './verdicts.js';

/** How far "recent" goes back; the interface does not say. Earlier notices are not returned, whatever `desde` is. */
const DEFAULT_DAYS = 5;
const MAX_DAYS = 30;

const schema = z.looseObject({ oabs: z.string().min(1), desde: civilDate.optional() });

export const listNotices = reading(schema, {}, ({ oabs, desde }, view) => {
  const lawyers = [...new Set(oabs.split(','))].map((text) => readOab(text));
  const known = lawyers.filter((lawyer): lawyer is Lawyer => lawyer !== undefined);
  if (known.length !== lawyers.length)
    return refused(422, 'INVALID_OAB', 'oabs must be <UF>:<number> pairs, comma-separated.');
  const { settings, nowMs } = view;
  const today = civilDateOf(nowMs);
  const from = desde ?? addDays(today, -DEFAULT_DAYS);
  const days = Math.max(0, Math.min(MAX_DAYS, daysBetween(from, today) + 1));
  const dates = Array.from({ length: days }, (_, ago) => addDays(today, -ago));
  const notices = known.flatMap((lawyer) => dates.flatMap((date) => noticesOn(settings, lawyer, date)));
  const monitored = new Set(view.monitors('notices').flatMap(({ active, subject }) => (active ? [subject] : [])));
  const price = (settings.prices.listNotices * known.length) as Amount;
  return answeredRecord(
    {
      intimacoes: notices.map((notice) => noticeItem(notice, view)),
      total: notices.length,
      missingMonitorings: known.map(oabKey).filter((key) => !monitored.has(key)),
      filters: { oabs: known.map(oabKey), desde: from },
      billing: { billableOabs: known.length, pricePerOab: settings.prices.listNotices / 10_000 },
    },
    view,
    { price },
  );
});

export const getPublication: OperationHandler = (view) => {
  const { settings, nowMs } = view;
  const today = civilDateOf(nowMs);
  const notice = noticeOf(settings, view.call.params['diarioId'] ?? '');
  if (notice === undefined || notice.available > today)
    return refused(404, 'PUBLICATION_NOT_FOUND', 'There is no such publication.');
  const cancelled = isCancelled(notice, today);
  const text = cancelled ? 'Publicação cancelada: disponibilizada em duplicidade (motivo fictício).' : notice.text;
  return answeredRecord(
    {
      ...noticeItem(notice, view),
      conteudo: text,
      conteudoCompletoHtml: `<p>${text}</p>`,
      ativo: !cancelled,
      ...(cancelled ? { motivo_cancelamento: 'Duplicidade', data_cancelamento: notice.cancelledFrom } : {}),
    },
    view,
  );
};

function noticeItem(notice: Notice, view: View): Record<string, unknown> {
  const { lawyer, cnj, diarioId } = notice;
  const cancelled = isCancelled(notice, civilDateOf(view.nowMs));
  return {
    id: notice.id,
    diarioId,
    oab: { estado: lawyer.uf, numero: lawyer.numero },
    dataDisponibilizacao: notice.available,
    dataPublicacao: notice.published,
    dataInicioPrazo: notice.deadline,
    diario: { nome: 'Diário de Justiça Eletrônico Nacional', sigla: 'DJEN', estado: lawyer.uf },
    processo: { numeroCnj: formatCnj(cnj), titulo: `Processo fictício no ${courtOf(cnj)}` },
    titulo: 'Intimação',
    conteudo: cancelled ? 'Publicação cancelada' : notice.excerpt,
    pagina: 1,
    caderno: 'Judicial',
    link: publicationLink(diarioId, view),
  };
}

function isCancelled({ cancelledFrom }: Notice, today: string): boolean {
  return cancelledFrom !== null && cancelledFrom <= today;
}
