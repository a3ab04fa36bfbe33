/** The public documents of a case, derived from seed and number. Members as observed. Pure. */
import { deriveBytes, deriveInteger } from '../derive.js';
import type { CaseTraits } from './personas.js';

export interface CaseDocument {
  /** 1, 2, … within the case. */
  readonly number: number;
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  /** `yyyy-MM-dd HH:mm:ss`, America/Sao_Paulo. */
  readonly date: string;
  readonly pages: number;
}

const KINDS = ['Petição inicial', 'Despacho', 'Decisão', 'Sentença', 'Certidão', 'Ofício'];

export function documentsOf(seed: string, cnj: string, traits: Pick<CaseTraits, 'documents'>): readonly CaseDocument[] {
  return Array.from({ length: traits.documents }, (_, index) => buildDocument(seed, cnj, index + 1));
}

function buildDocument(seed: string, cnj: string, number: number): CaseDocument {
  const pick = (below: number, what: string): number => deriveInteger(seed, below, what, cnj, number);
  const kind = number === 1 ? 'Petição inicial' : (KINDS[pick(KINDS.length, 'kind')] ?? 'Despacho');
  const two = (value: number): string => String(value + 1).padStart(2, '0');
  return {
    number,
    id: deriveBytes(seed, 'document', cnj, number).toString('hex').slice(0, 24),
    title: `${kind} (documento fictício ${number})`,
    kind,
    date: `2025-${two(pick(12, 'month'))}-${two(pick(28, 'day'))} 10:${two(pick(58, 'minute'))}:00`,
    pages: 1 + pick(3, 'pages'),
  };
}
