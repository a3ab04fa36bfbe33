/** Starting `importLawyerCases`: the registration stands in the id only as a keyed token. */
import {
  importLawyerCasesId,
  parseImportLawyerCasesInput,
  type ImportLawyerCasesInput,
  type ImportLawyerCasesResult,
} from '../protocol/index.js';
import { defineStarter, type Starter } from './define-starter.js';

/** Starts (or joins) the import of a lawyer's cases. Default id `import/<account>/<token>`. */
export const startImportLawyerCases: Starter<ImportLawyerCasesInput, ImportLawyerCasesResult> = defineStarter({
  type: 'importLawyerCases',
  parse: parseImportLawyerCasesInput,
  place: ({ account, oab, maxPaidChecks }, { token }) => ({
    id: importLawyerCasesId(account, token('oab', oab)),
    summary: `Import of a lawyer's cases (page 1 is bought at most ${maxPaidChecks} times)`,
  }),
});
