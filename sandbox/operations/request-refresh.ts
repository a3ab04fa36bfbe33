/** POST solicitar-atualizacao: begins a refresh. Two POSTs are two refreshes and two charges: the service does not dedupe. */
import { refuse } from '../answer.js';
import type { CaseTraits } from '../cases/personas.js';
import { traitsOf } from '../cases/traits.js';
import type { Settings } from '../settings.js';
import { buildPendingAnswer } from './pending-answer.js';
import type { OperationHandler } from './types.js';

export const requestRefresh: OperationHandler = (call, view) => {
  const cnj = call.params['cnj'] ?? '';
  const traits = traitsOf(view.settings.seed, cnj);
  if (!traits.exists) return { kind: 'refused', answer: refuse(404, 'CASE_NOT_FOUND', 'The case is not known.') };
  if (call.flags.documents && !traits.courtHasDocuments) {
    const answer = refuse(422, 'PUBLIC_DOCUMENTS_NOT_SUPPORTED', 'The court of this case has no public documents.');
    return { kind: 'refused', answer };
  }
  const duration = refreshDurationMs(traits, view.settings);
  const refresh = {
    requestId: view.newId(),
    account: call.account,
    keyHash: call.keyHash,
    cnj,
    flags: call.flags,
    createdAtMs: view.nowMs,
    finishesAtMs: duration === null ? null : view.nowMs + duration,
    ending: traits.ending,
    finalStatus: traits.finalStatus,
    webhook: traits.webhook,
    debitAt: view.settings.dialect.debitAt,
    price: view.settings.prices.requestRefresh,
  };
  return { kind: 'work', refresh, answer: (paid) => buildPendingAnswer(refresh, view, paid) };
};

function refreshDurationMs(traits: CaseTraits, settings: Settings): number | null {
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
