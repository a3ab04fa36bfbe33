/** What flows are told of an answer, in place of the answer: small, and without signed links. Types alone. */
import type { Json, JsonObject } from '../../contract/json.js';
import type { StoredAnswerFile } from '../flows/call-operation.js';
import type { MovementResult } from '../flows/read-case.js';

/** Reading of a finished refresh, inside a `DONE` outcome. */
export interface RefreshReading {
  readonly state: 'done' | 'empty' | 'failed';
  readonly rawStatus: string | null;
  /** When we knew, epoch ms by our clock. */
  readonly finishedAtMs: number;
  /** When the service says it was, by its clock; null where it does not say. */
  readonly serviceTimeMs: number | null;
}

/** Reading of an answer itself: its JSON while it is small, its hash, or the file that it is. */
export interface BodyReading {
  readonly body?: Json;
  readonly bodySha256: string;
  readonly file?: StoredAnswerFile;
}

/** Where the next page is; `key` names its step. */
export type NextPageStep =
  | { readonly kind: 'link'; readonly target: string; readonly key: string }
  | { readonly kind: 'cursor'; readonly cursor: string; readonly li?: string; readonly key: string }
  | { readonly kind: 'page'; readonly page: number; readonly key: string }
  /** The service says that there is none. */
  | { readonly kind: 'end' }
  /** A link that must not be followed. */
  | { readonly kind: 'refused'; readonly problem: string }
  /** The service says nothing of pages, or does not say how to ask for one. */
  | { readonly kind: 'unsaid' };

/** Reading of one page of a collection. */
export interface PageFactsReading {
  readonly items: number;
  /** Equal for pages with equal items. */
  readonly fingerprint: string;
  readonly next: NextPageStep;
  /** What the service says there is in all; null where it does not say. */
  readonly total: number | null;
  /** `meta.search.partial`: true when not everything was searched. */
  readonly partial: boolean | null;
  /** `meta.search`. */
  readonly search: JsonObject | null;
}

/** Reading of one page of movements. */
export interface MovementsReading extends PageFactsReading {
  readonly movements: readonly MovementResult[];
  /** The page has more than `movements` holds: the rest is in the database. */
  readonly cut: boolean;
}

/** Reading of a summary, or of the end of the work that makes one. */
export interface SummaryReading {
  /** `data` of the answer as read; absent where it is larger than a result may be. */
  readonly record?: JsonObject;
  /** There is a text. */
  readonly ready: boolean;
  /** By the words for refreshes; `running` where it says nothing. */
  readonly state: 'running' | 'done' | 'empty' | 'failed';
  readonly rawStatus: string | null;
  readonly updatedAtMs: number | null;
}

/** Reading of one page of the documents list: no links. */
export interface DocumentsReading {
  readonly documents: readonly { readonly id: string; readonly title?: string; readonly type?: string }[];
  /** How many stand on this page; more than `documents` holds when `cut`. */
  readonly count: number;
  readonly cut: boolean;
  readonly total: number | null;
  readonly hasMore: boolean;
  /** True where the service says nothing about further pages; absent from readings of older workers. */
  readonly unsaid?: boolean;
}
