/**
 * Which events a monitor sends, and when: notices on the morning of a working day, movements of a case by its
 * frequency, new cases once a week. The interface does not show which operation emits which event name; these are the
 * choices of the sandbox. Pure: the same day gives the same events, so they agree with the lists of the service.
 */
import { formatCnj } from '../../src/contract/index.js';
import { cnjAt } from '../cases/corpus.js';
import { courtOf } from '../cases/court.js';
import { movementsOn } from '../cases/movements.js';
import { noticesOn } from '../cases/notices.js';
import { readOab } from '../cases/people.js';
import { addDays, civilDateOf, instantOf } from '../civil/calendar.js';
import { deriveInteger, deriveUuid } from '../derive.js';
import type { Settings } from '../settings.js';
import type { Monitor } from '../state/monitors.js';
import type { SandboxEvent } from '../webhooks/build-event.js';

const MORNING = '07:00';
const DAYS_BETWEEN = { DIARIA: 1, SEMANAL: 7, MENSAL: 30 } as const;

/** The next morning on which the monitor checks. */
export function nextEventMs(monitor: Monitor, afterMs: number): number {
  const today = civilDateOf(afterMs);
  const next = instantOf(today, MORNING) > afterMs ? today : addDays(today, 1);
  return instantOf(addDays(next, daysBetweenLooks(monitor) - 1), MORNING);
}

export function eventsAt(monitor: Monitor, atMs: number, settings: Settings): readonly SandboxEvent[] {
  const { seed } = settings;
  const date = civilDateOf(atMs);
  const head = (what: string, n: number) => ({
    id: deriveUuid(seed, 'event', monitor.id, what, date, n),
    createdAtMs: atMs,
  });
  switch (monitor.of) {
    case 'notices': {
      const lawyer = readOab(monitor.subject);
      if (lawyer === undefined) return [];
      return noticesOn({ seed, corpus: settings.corpus }, lawyer, date).map((notice, n) => ({
        ...head('notice', n),
        event: 'publicacao_judicial_nova',
        normalized: {
          numeroCnj: formatCnj(notice.cnj),
          tribunal: courtOf(notice.cnj),
          monitorId: monitor.id,
          oab: { estado: lawyer.uf, numero: lawyer.numero },
          intimacaoId: notice.id,
          link: `/v1/intimacoes/publicacoes/${notice.diarioId}`,
        },
        raw: {
          monitoramento: [
            { termo: monitor.subject, tipo: 'OAB', descricao: 'Monitor fictício', data_ultima_aparicao: date },
          ],
          movimentacao: {
            id: notice.id,
            processo_id: formatCnj(notice.cnj),
            numero_processo: formatCnj(notice.cnj),
            data: `${date} 00:00:00`,
            conteudo: notice.excerpt,
          },
        },
      }));
    }
    case 'case': {
      const since = addDays(date, -daysBetweenLooks(monitor));
      return movementsOn(seed, monitor.subject, { after: since, until: date }).map((movement, n) => ({
        ...head('movement', n),
        event: 'nova_movimentacao',
        normalized: {
          numeroCnj: formatCnj(monitor.subject),
          tribunal: courtOf(monitor.subject),
          monitorId: monitor.id,
          data: movement.date,
        },
        raw: {
          processo: { numero_unico: formatCnj(monitor.subject), origem: courtOf(monitor.subject), instancia: 1 },
          event_data: { id: n + 1, data: movement.date.split('-').reverse().join('/'), conteudo: movement.text },
        },
      }));
    }
    case 'radar': {
      const cnj = cnjAt(seed, deriveInteger(seed, 1_000_000, 'radar', monitor.id, date));
      const numero = formatCnj(cnj);
      return [
        {
          ...head('case', 0),
          event: 'novo_processo',
          normalized: { numeroCnj: numero, tribunal: courtOf(cnj), monitorId: monitor.id, termo: monitor.subject },
          raw: { processo: { numero_unico: numero }, monitoramento: [{ termo: monitor.subject, tipo: 'TERMO' }] },
        },
      ];
    }
    case 'administrative':
      return [
        {
          ...head('administrative', 0),
          event: 'nova_movimentacao',
          normalized: { nup: monitor.subject, monitorId: monitor.id },
          raw: { processo_administrativo: { nup: monitor.subject } },
        },
      ];
  }
}

function daysBetweenLooks({ of, definition }: Monitor): number {
  if (of === 'notices') return 1;
  if (of !== 'case') return 7;
  const frequency = definition['frequencia'];
  return frequency === 'SEMANAL' || frequency === 'MENSAL' ? DAYS_BETWEEN[frequency] : DAYS_BETWEEN.DIARIA;
}
