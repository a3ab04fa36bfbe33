/**
 * The AI summary: asking for one (202, charged) and reading it (charged). The path of the read is a gap of the interface;
 * the catalogue's default is served. Reading before one is ready costs nothing, unless the dialect says otherwise.
 */
import { formatCnj } from '../../src/contract/index.js';
import { envelope, jsonAnswer } from '../answer.js';
import { classOf, partiesOf } from '../cases/cover.js';
import { courtOf } from '../cases/court.js';
import { NO_ARGUMENTS, type Work } from '../state/works.js';
import { isSealed } from './get-case.js';
import { buildPendingAnswer } from './pending-answer.js';
import { refused } from './reading.js';
import { refreshDurationMs } from './request-refresh.js';
import { spell } from './spelling.js';
import type { OperationHandler } from './types.js';

export const requestSummary: OperationHandler = (call, view) => {
  const cnj = call.params['cnj'] ?? '';
  const traits = view.traits(cnj);
  if (!traits.exists) return refused(404, 'CASE_NOT_FOUND', 'The case is not known.');
  const { account, keyHash, flags } = call;
  const { settings, nowMs } = view;
  const duration = refreshDurationMs(traits, settings);
  const work: Work = {
    ...{ requestId: view.newId(), operation: 'requestSummary', account, keyHash, cnj, flags, ...NO_ARGUMENTS },
    createdAtMs: nowMs,
    finishesAtMs: duration === null ? null : nowMs + duration,
    ending: traits.ending,
    finalStatus: traits.finalStatus,
    webhook: traits.webhook,
    debitAt: settings.dialect.debitAt,
    price: settings.prices.requestSummary,
  };
  return { kind: 'work', work, answer: (paid) => buildPendingAnswer(work, view, paid) };
};

export const getSummary: OperationHandler = (call, view) => {
  const cnj = call.params['cnj'] ?? '';
  if (!view.traits(cnj).exists) return refused(404, 'CASE_NOT_FOUND', 'The case is not known.');
  const { settings, nowMs } = view;
  const ready = view
    .worksOf(cnj, 'requestSummary')
    .filter((work) => work.ending === 'SUCESSO' && work.finalStatus === 200 && view.isFinished(work))
    .at(-1);
  if (ready === undefined && settings.dialect.unreadySummary === 'not-found') {
    return refused(404, 'SUMMARY_NOT_READY', 'There is no summary of this case yet.');
  }
  const finishedAtMs = ready?.finishesAtMs;
  const { active, passive } = partiesOf(settings.seed, cnj);
  const parties = isSealed(cnj, view) ? 'partes sigilosas' : `${active.nome} contra ${passive.nome}`;
  const data = spell(
    {
      numeroCnj: formatCnj(cnj),
      conteudo:
        ready === undefined
          ? null
          : `Resumo fictício: ${classOf(settings.seed, cnj)} no ${courtOf(cnj)}, ${parties}. Gerado por máquina.`,
      atualizadoEm: typeof finishedAtMs === 'number' ? new Date(finishedAtMs).toISOString() : null,
      cached: ready !== undefined,
      state: ready === undefined ? 'pending' : 'success',
    },
    settings.dialect,
  );
  return {
    kind: 'charged',
    price: settings.prices.getSummary,
    cnj,
    answer: (paid) => jsonAnswer(200, envelope(data, paid, nowMs)),
  };
};
