/**
 * The table of personas: case numbers with a fixed behaviour, for demos and tests. All numbers are synthetic and valid
 * (domain.md 1.5). Any other valid number is an ordinary case derived from seed and number. Pure data.
 */
export type Ending = 'SUCESSO' | 'NAO_ENCONTRADO' | 'ERRO';

/** What becomes of the webhook at the end of a refresh. `early`: delivered before the 202 is written. */
export type WebhookFate = 'sent' | 'lost' | 'early' | 'twice';

export interface CaseTraits {
  /** False: every operation on the case answers 404. */
  readonly exists: boolean;
  /** Refreshed once, one day before the sandbox started, with success and without documents. */
  readonly refreshedYesterday: boolean;
  /** Public documents after a successful refresh with the documents flag. */
  readonly documents: number;
  /** False: the court has no public documents; a refresh with the documents flag answers 422. */
  readonly courtHasDocuments: boolean;
  readonly pace: 'ordinary' | 'slow' | 'never';
  readonly ending: Ending;
  /** HTTP status of the final answer of the request. */
  readonly finalStatus: 200 | 500;
  readonly webhook: WebhookFate;
}

export interface Persona {
  readonly cnj: string;
  readonly name: string;
  readonly does: string;
  readonly traits: CaseTraits;
}

export const ORDINARY: CaseTraits = {
  exists: true,
  refreshedYesterday: false,
  documents: 2,
  courtHasDocuments: true,
  pace: 'ordinary',
  ending: 'SUCESSO',
  finalStatus: 200,
  webhook: 'sent',
};

function persona(cnj: string, name: string, does: string, traits: Partial<CaseTraits>): Persona {
  return { cnj: cnj.replace(/\D/g, ''), name, does, traits: { ...ORDINARY, ...traits } };
}

export const PERSONAS: readonly Persona[] = [
  persona('1000001-51.2026.8.26.0100', 'happy', 'ends well with 3 public documents', { documents: 3 }),
  persona('5000777-14.2025.8.13.0024', 'yesterday', 'was refreshed yesterday, then ends well', {
    refreshedYesterday: true,
  }),
  persona('0010001-25.2024.5.02.0001', 'not-found-end', 'refresh ends NAO_ENCONTRADO', { ending: 'NAO_ENCONTRADO' }),
  persona('1000123-18.2025.4.03.6100', 'error-end', 'refresh ends ERRO', { ending: 'ERRO' }),
  persona('6000001-46.2025.4.06.3800', 'final-500', 'final answer of the request is a 500 of the service', {
    ending: 'ERRO',
    finalStatus: 500,
  }),
  persona('0123456-61.2022.3.00.0000', 'never-ends', 'refresh never ends', { pace: 'never' }),
  persona('0600123-74.2024.6.26.0001', 'slow', 'refresh takes slowRefreshMs', { pace: 'slow' }),
  persona('0000050-19.2019.4.90.0000', 'webhook-lost', 'ends well, its webhook is never sent', { webhook: 'lost' }),
  persona('0000100-32.2020.5.00.0000', 'webhook-early', 'ends at once, the webhook arrives before the 202', {
    webhook: 'early',
  }),
  persona('0000123-23.2022.6.00.0000', 'webhook-twice', 'ends well, the webhook is delivered twice', {
    webhook: 'twice',
  }),
  persona('7000055-03.2023.7.01.0001', 'many-documents', 'ends well with 45 public documents', { documents: 45 }),
  persona('0000001-18.1999.8.01.0001', 'unknown-case', 'is not known: 404', { exists: false }),
  persona('0800012-35.2021.9.26.0010', 'no-documents-court', 'its court refuses the documents flag: 422', {
    courtHasDocuments: false,
    documents: 0,
  }),
];
