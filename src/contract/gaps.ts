/**
 * Names that the interface does not show, with the defaults that configuration may replace (`gaps`). They are
 * never guessed in code elsewhere. Pure types and constants.
 */

/** Where a flag goes and what "on" looks like there. */
export interface FlagGap {
  /** Name of the parameter or of the member of the body. */
  readonly name: string;
  /** Whether it is a query parameter or a member of the JSON body. */
  readonly in: 'query' | 'body';
  /** The value that means "on"; without the flag nothing is sent. */
  readonly true: 'true' | 1 | true;
}

/** Words that the service may use for the state of a refresh, added to the observed vocabulary. */
export interface StatusWords {
  /** The refresh goes on. Any word that is not known counts as running too. */
  readonly running: readonly string[];
  /** The refresh has ended well. */
  readonly done: readonly string[];
  /** The court shows no such case. */
  readonly empty: readonly string[];
  /** The refresh has ended badly. */
  readonly failed: readonly string[];
}

/** Names and words that the interface leaves open; configuration sets them. */
export interface Gaps {
  /** The flag that makes a refresh include public documents; `documentos_publicos=true` in the query (interface "Endpoints"). */
  readonly documentsFlag: FlagGap;
  /** The flag that asks for a webhook at the end of a call; `enviar_callback=true` in the query. */
  readonly callbackFlag: FlagGap;
  /** Parameters of a lawyer's registration where number and state are separate. */
  readonly oabNumberParam: string;
  /** The state of the registration, two letters; `oab_estado`. */
  readonly oabStateParam: string;
  /** Path of the summary, with `{cnj}` in it. */
  readonly summaryPath: string;
  /** Page parameter of the term search. */
  readonly termPageParam: string;
  /** Where the registration goes when a notice monitor is changed. */
  readonly updateMonitorOabIn: 'query' | 'body';
  /** Dotted paths tried in order for RECENTE/HISTORICO of a lawyer's case. */
  readonly classificationField: readonly string[];
  /** Dotted paths tried in order for the state of a refresh. */
  readonly statusField: readonly string[];
  /** Words for the state of a refresh, added to those that were observed; none. */
  readonly statusWords: StatusWords;
  /** Operation id → our name of a filter → the service's parameter. */
  readonly filters: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The names that apply where configuration gives none. */
export const DEFAULT_GAPS: Gaps = {
  documentsFlag: { name: 'documentos_publicos', in: 'query', true: 'true' },
  callbackFlag: { name: 'enviar_callback', in: 'query', true: 'true' },
  oabNumberParam: 'oab_numero',
  oabStateParam: 'oab_estado',
  summaryPath: '/v1/processos/cnj/{cnj}/resumo-ia',
  termPageParam: 'page',
  updateMonitorOabIn: 'query',
  classificationField: ['classificacao'],
  statusField: ['status', 'ultima_verificacao.status', 'state'],
  statusWords: { running: [], done: [], empty: [], failed: [] },
  filters: {},
};
