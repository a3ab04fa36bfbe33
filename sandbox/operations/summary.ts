/**
 * The AI summary: POST requests one (202, charged), GET reads it (charged). The path of the read is a gap of the
 * interface; the catalogue's default is served. A read before the summary is ready costs nothing, unless the dialect
 * says otherwise.
 */
import { formatCnj } from '../../src/contract/index.js';
import { classOf, partiesOf } from '../cases/cover.js';
import { courtOf } from '../cases/court.js';
import { isSealed } from './get-case.js';
import { answeredRecord, beginning, ofCase, refused } from './verdicts.js';

export const requestSummary = ofCase((about, view) => beginning('requestSummary', about, view));

export const getSummary = ofCase(({ cnj }, view) => {
  const { settings } = view;
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
  return answeredRecord(
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
    view,
  );
});
