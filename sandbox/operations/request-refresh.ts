/** POST solicitar-atualizacao: begins a refresh. Two POSTs are two refreshes and two charges: the service does not dedupe. */
import { beginning, ofCase, refused } from './verdicts.js';

export const requestRefresh = ofCase((about, call, view) =>
  call.flags.documents && !about.traits.courtHasDocuments
    ? refused(422, 'PUBLIC_DOCUMENTS_NOT_SUPPORTED', 'The court of this case has no public documents.')
    : beginning('requestRefresh', about, call, view),
);
