/** POST solicitar-atualizacao: begins a refresh. Two POSTs are two refreshes and two charges: the service does not dedupe. */
import type { CaseTraits } from '../cases/personas.js';
import type { Settings } from '../settings.js';
import { buildPendingAnswer } from './pending-answer.js';
import { refused } from './reading.js';
import type { OperationHandler } from './types.js';
import { NO_ARGUMENTS, type Work } from '../state/works.js';

export const requestRefresh: OperationHandler = (call, view) => {
  const cnj = call.params['cnj'] ?? '';
  const traits = view.traits(cnj);
  if (!traits.exists) return refused(404, 'CASE_NOT_FOUND', 'The case is not known.');
  if (call.flags.documents && !traits.courtHasDocuments) {
    return refused(422, 'PUBLIC_DOCUMENTS_NOT_SUPPORTED', 'The court of this case has no public documents.');
  }
  const duration = refreshDurationMs(traits, view.settings);
  const { account, keyHash, flags } = call;
  const work: Work = {
    ...{ requestId: view.newId(), operation: 'requestRefresh', account, keyHash, cnj, flags, ...NO_ARGUMENTS },
    createdAtMs: view.nowMs,
    finishesAtMs: duration === null ? null : view.nowMs + duration,
    ending: traits.ending,
    finalStatus: traits.finalStatus,
    webhook: traits.webhook,
    debitAt: view.settings.dialect.debitAt,
    price: view.settings.prices.requestRefresh,
  };
  return { kind: 'work', work, answer: (paid) => buildPendingAnswer(work, view, paid) };
};

/** null: never. Of a summary too. */
export function refreshDurationMs(traits: CaseTraits, settings: Settings): number | null {
  if (traits.webhook === 'early') return 0;
  switch (traits.pace) {
    case 'never':
      return null;
    case 'slow':
      return settings.slowRefreshMs;
    case 'ordinary':
      return settings.refreshMs;
  }
}
