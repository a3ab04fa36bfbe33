/**
 * Names that the interface does not show, with the defaults that configuration may replace (design 6, `gaps`). They are
 * never guessed in code elsewhere. Pure types and constants.
 */

/** Where a flag goes and what "on" looks like there. */
export interface FlagGap {
  readonly name: string;
  readonly in: 'query' | 'body';
  readonly true: 'true' | 1 | true;
}

/** Words that the service may use for the state of a refresh, added to the vocabulary of domain.md 12.3. */
export interface StatusWords {
  readonly running: readonly string[];
  readonly done: readonly string[];
  readonly empty: readonly string[];
  readonly failed: readonly string[];
}

export interface Gaps {
  readonly documentsFlag: FlagGap;
  readonly callbackFlag: FlagGap;
  /** Dotted paths tried in order for the state of a refresh. */
  readonly statusField: readonly string[];
  readonly statusWords: StatusWords;
}

export const DEFAULT_GAPS: Gaps = {
  documentsFlag: { name: 'documentos_publicos', in: 'query', true: 'true' },
  callbackFlag: { name: 'enviar_callback', in: 'query', true: 'true' },
  statusField: ['status', 'ultima_verificacao.status', 'state'],
  statusWords: { running: [], done: [], empty: [], failed: [] },
};
