/** How a flow about one case is shown: the number, or its token where the account masks. Undefined for what is no case. */
import { formatCnj, parseCnj } from '../contract/values/index.js';
import type { StarterDeps } from './start-flow.js';

export interface CaseSubject {
  /** Value of the search attribute `TramitaCase`, and of the id. */
  readonly caseAttribute?: string;
  readonly label?: string;
}

export function caseSubject(
  { token, masksCnj }: Pick<StarterDeps, 'token' | 'masksCnj'>,
  account: string,
  cnj: unknown,
): CaseSubject {
  const parsed = parseCnj(cnj);
  if (!parsed.ok) return {};
  if (masksCnj?.(account) !== true) return { caseAttribute: parsed.cnj, label: formatCnj(parsed.cnj) };
  const masked = token('case', parsed.cnj);
  return { caseAttribute: masked, label: `case ${masked}` };
}
