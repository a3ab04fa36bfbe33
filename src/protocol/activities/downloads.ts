/** Files of public documents. Types only. */
import type { Cnj } from '../../contract/values/index.js';
import type { DocumentResult } from '../results.js';

export interface DownloadInput {
  readonly account: string;
  readonly cnj: Cnj;
  /** Ledger row of the list page whose stored answer holds the links. */
  readonly intentId: string;
  readonly page: number;
  /** Only these documents; all of the page when absent. */
  readonly only?: readonly string[];
}

export interface DownloadResult {
  /** All documents of the page, or only the first ones; see `cut`. */
  readonly documents: readonly DocumentResult[];
  /** Documents whose signed link has expired: only a paid new listing can bring them. */
  readonly expired: readonly string[];
  /** Set if the page is too long for a result, so that both lists are cut: how many files were tried, and whether any came. */
  readonly cut?: { readonly tried: number; readonly came: boolean };
}
