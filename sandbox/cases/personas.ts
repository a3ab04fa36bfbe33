/**
 * The table of personas: case numbers with a fixed behaviour, for demos and tests. All numbers are synthetic and valid.
 * Any other valid number is an ordinary case derived from seed and number. Pure data.
 */

/** How a refresh of the case ends, as the service words it. */
export type Ending = 'SUCESSO' | 'NAO_ENCONTRADO' | 'ERRO';

/** How the webhook at the end of a refresh is delivered. `early`: before the 202 is written. */
export type WebhookFate = 'sent' | 'lost' | 'early' | 'twice';

/** How a case behaves. */
export interface CaseTraits {
  /** False: every operation on the case answers 404. */
  readonly exists: boolean;
  /** Refreshed once, one day before the sandbox started, with success and without documents. */
  readonly refreshedYesterday: boolean;
  /** Public documents after a successful refresh with the documents flag. */
  readonly documents: number;
  /** False: the court has no public documents; a refresh with the documents flag answers 422. */
  readonly courtHasDocuments: boolean;
  /** How long a refresh takes: `refreshMs`, `slowRefreshMs`, or without end. */
  readonly pace: 'ordinary' | 'slow' | 'never';
  /** How a refresh ends. */
  readonly ending: Ending;
  /** HTTP status of the final answer of the request. */
  readonly finalStatus: 200 | 500;
  /** What becomes of the webhook about the end. */
  readonly webhook: WebhookFate;
  /** Sealed (segredo de justiça): always, or from the end of the first refresh on. */
  readonly sealed: 'no' | 'yes' | 'after refresh';
  /** How many degrees the case went through; each is a source. */
  readonly degrees: 1 | 2 | 3;
}

/** A case with a fixed behaviour. */
export interface Persona {
  /** Case number, 20 digits. */
  readonly cnj: string;
  /** Short name, as `tramita sandbox` prints it. */
  readonly name: string;
  /** What is special about the case, in words. */
  readonly does: string;
  /** The same, for programs. */
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
  sealed: 'no',
  degrees: 1,
};

function persona(cnj: string, name: string, does: string, traits: Partial<CaseTraits>): Persona {
  return { cnj: cnj.replace(/\D/g, ''), name, does, traits: { ...ORDINARY, ...traits } };
}

/** Every case with a fixed behaviour. */
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
  persona('0000001-56.2024.1.00.0000', 'sealed', 'is under segredo de justiça: parties are masked', { sealed: 'yes' }),
  persona('0000002-91.2023.2.00.0000', 'becomes-sealed', 'is sealed from the end of its first refresh on', {
    sealed: 'after refresh',
  }),
  persona('0004022-92.1988.0.01.0000', 'old-stf', 'is an old STF number (J=0)', {}),
  persona('1000010-13.2026.8.26.0100', 'three-degrees', 'has sources in three degrees', { degrees: 3 }),
];

/** A registration with a fixed behaviour. */
export interface LawyerPersona {
  /** `UF:number`. */
  readonly oab: string;
  /** Short name, as `tramita sandbox` prints it. */
  readonly name: string;
  /** What is special about the list, in words. */
  readonly does: string;
  /** Length of the whole list. */
  readonly cases: number;
  /** Whether the list is whole: after some steps, at once, or never. */
  readonly coverage: 'grows' | 'complete' | 'stays partial';
}

const LAWYER_ROWS = [
  ['SP:123456', 'growing', 'coverage grows in four steps, then is complete', 120, 'grows'],
  ['SP:100001', 'complete', 'is complete from the first call on', 45, 'complete'],
  ['MG:300003', 'stays-partial', 'never becomes complete', 80, 'stays partial'],
  ['AC:7', 'no-cases', 'has no case', 0, 'complete'],
] as const;
/** Every registration with a fixed behaviour. */
export const LAWYERS: readonly LawyerPersona[] = LAWYER_ROWS.map(([oab, name, does, cases, coverage]) => ({
  oab,
  name,
  does,
  cases,
  coverage,
}));

/** A CPF or CNPJ with a fixed behaviour. */
export interface TaxIdPersona {
  /** CPF or CNPJ, digits only; synthetic. */
  readonly taxId: string;
  /** Short name, as `tramita sandbox` prints it. */
  readonly name: string;
  /** What is special about the answer, in words. */
  readonly does: string;
  /** How many cases the list has. */
  readonly cases: number;
  /** How the service answers a query for it. */
  readonly answers: 'list' | 'homonyms' | 'lawyer only' | 'refused' | 'missed';
}

const TAX_ID_ROWS = [
  ['90000000175', 'person', 'has 27 cases', 27, 'list'],
  ['90000000256', 'lawyer-only', 'is only the lawyer of the cases', 5, 'lawyer only'],
  ['90000000337', 'homonym', 'shares a name: cases of two people', 8, 'homonyms'],
  ['SANDBOX1000170', 'letters-refused', 'upstream refuses letters: 422', 0, 'refused'],
  ['SANDBOX2000114', 'letters-missed', 'upstream misses letters: an empty list', 0, 'missed'],
  ['99SBX001000145', 'company', 'letters are understood: 12 cases', 12, 'list'],
] as const;
/** Every CPF and CNPJ with a fixed behaviour. */
export const TAX_IDS: readonly TaxIdPersona[] = TAX_ID_ROWS.map(([taxId, name, does, cases, answers]) => ({
  taxId,
  name,
  does,
  cases,
  answers,
}));
