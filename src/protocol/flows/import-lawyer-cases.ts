/** `importLawyerCases`: the whole list of a lawyer's cases, swapped in at once. */
import { defineFlow, workflowIdOf } from '../flow.js';
import { optional, registration, wholeNumber } from '../inputs/kinds.js';
import type { CommonInput } from '../inputs/common.js';
import type { FlowCosts } from '../results.js';

/** Input of `importLawyerCases`: the registration of a lawyer whose whole list of cases is wanted. */
export interface ImportLawyerCasesInput extends CommonInput {
  /** Registration like `"SP:123456"`. */
  readonly oab: string;
  /** Items of a page; the service's default. */
  readonly pageSize?: number;
  /** How often page 1 may be bought in all, restarts included; 5. */
  readonly maxPaidChecks?: number;
}

/** Result of `importLawyerCases`: the list that readers see now, and what it took to get one that did not change under the way. */
export interface ImportLawyerCasesResult extends FlowCosts {
  /** `cobertura.atualizadoEm` of the imported list, as sent. */
  readonly version: string | null;
  /** Cases that readers see now. */
  readonly cases: number;
  /** Pages of the imported list. */
  readonly pages: number;
  /** How often the list changed under the import. */
  readonly restarts: number;
  /** How often page 1 was bought. */
  readonly paidChecks: number;
  /** Alarm: by how many cases the list is shorter than the service says (`totalDisponivel`). */
  readonly missing?: number;
}

export const importLawyerCases = defineFlow<ImportLawyerCasesInput, ImportLawyerCasesResult>()({
  idPrefix: 'import',
  scheduled: true,
  example: '{"oab":"SP:123456"}',
  members: {
    oab: registration,
    pageSize: optional(wholeNumber({ max: 1_000, fallback: 1 })),
    maxPaidChecks: wholeNumber({ max: 100, fallback: 5 }),
  },
  place: ({ oab, maxPaidChecks }, { token }) => ({
    id: [token('oab', oab)],
    summary: `Import of a lawyer's cases (page 1 is bought at most ${maxPaidChecks} times)`,
  }),
});

/** Default workflow id of `importLawyerCases`. `token`: of the registration, which is personal. */
export function importLawyerCasesId(account: string, token: string): string {
  return workflowIdOf(importLawyerCases, account, token);
}
