/**
 * Readings: what a flow gets instead of an answer, small and without signed links. {@link ReadingFor} says which reading the
 * answer of a step has. Types only.
 */
import type { Json, JsonObject } from '../../contract/json.js';
import type { MovementResult, StoredAnswerFile } from '../answer-parts.js';

/**
 * How an answer is read for the flow; the answer itself is stored whole. `documents`: one page of the public documents
 * (default of that operation). `body`: the JSON itself while it is small. `page`: how much is on a page and where the next one
 * is. `movements`: the same with the movements. `record`: the record while it is small. `summary`: the same with the state
 * of a summary. `notices`: only that it is a list of notices. `none` (default): nothing but the facts.
 */
export interface ReadingByView {
  none: NoReading;
  documents: DocumentsReading;
  body: BodyReading;
  page: PageFactsReading;
  movements: MovementsReading;
  record: RecordReading;
  summary: SummaryReading;
  notices: NoReading;
  monitor: MonitorReading;
  lawyerPage: LawyerPageReading;
}

export type AnswerView = keyof ReadingByView;

export type Reading = ReadingByView[AnswerView] | RefreshReading;

/** The reading of a step's answer: the end of a refresh, else by the step's view, or by its operation if it has no view. */
export type ReadingFor<Step extends { readonly operation: string; readonly view?: AnswerView }> =
  Step['operation'] extends 'requestRefresh'
    ? RefreshReading
    : Step extends { readonly view: infer View extends AnswerView }
      ? ReadingByView[View]
      : Step['operation'] extends 'listPublicDocuments'
        ? DocumentsReading
        : NoReading;

export type NoReading = Readonly<Record<string, never>>;

/** Reading of a finished refresh, inside a `DONE` outcome. */
export interface RefreshReading {
  readonly state: 'done' | 'empty' | 'failed';
  readonly rawStatus: string | null;
  /** When we learned it, epoch ms by our clock. */
  readonly finishedAtMs: number;
  /** When it was by the service's own clock; null if the service does not say. */
  readonly serviceTimeMs: number | null;
}

/** Reading of an answer itself: its JSON while it is small, its hash, or the file that it is. */
export interface BodyReading {
  readonly body?: Json;
  readonly bodySha256: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly file?: StoredAnswerFile;
  /** It may still be on its way to the file store: `keepFile` waits for it. */
  readonly fileOwed?: true;
}

/** Where the next page is; `key` names its step. */
export type NextPageStep =
  | { readonly kind: 'link'; readonly target: string; readonly key: string }
  | { readonly kind: 'cursor'; readonly cursor: string; readonly li?: string; readonly key: string }
  | { readonly kind: 'page'; readonly page: number; readonly key: string }
  /** The service says that there is none. */
  | { readonly kind: 'end' }
  /** A link that must not be followed. `loops`: it leads back to a page that was read. */
  | { readonly kind: 'refused'; readonly problem: string; readonly loops?: true }
  /** The service says nothing about pages, or does not say how to ask for one. */
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

/** Reading of one record. */
export interface RecordReading {
  /** `data` of the answer as read; absent where it is larger than a result may be. */
  readonly record?: JsonObject;
}

/** Reading of a summary, or of the end of the work that makes one. */
export interface SummaryReading extends RecordReading {
  /** There is a text; or the service says that it is done; or it names no state but has some text. */
  readonly ready: boolean;
  /** Read like the status of a refresh; `running` if the service says nothing. */
  readonly state: 'running' | 'done' | 'empty' | 'failed';
  readonly rawStatus: string | null;
  readonly updatedAtMs: number | null;
}

/** Reading of one page of the documents list: no links. */
export interface DocumentsReading {
  readonly documents: readonly { readonly id: string; readonly title?: string; readonly type?: string }[];
  /** How many are on this page; more than `documents` holds when `cut`. */
  readonly count: number;
  readonly cut: boolean;
  readonly total: number | null;
  readonly hasMore: boolean;
  /** True where the service says nothing about further pages; absent from readings of older workers. */
  readonly unsaid?: boolean;
}

/** Reading of an answer about a monitor. */
export interface MonitorReading {
  readonly monitors: readonly { readonly id: string | null; readonly status: string | null }[];
  readonly callback?: { readonly enabled: boolean | null; readonly mode: string | null };
  readonly billing?: { readonly monthlyPrice: string };
}

/** Reading of page 1 of a lawyer's list. */
export interface LawyerPageReading {
  readonly complete: boolean;
  /** `cobertura.atualizadoEm` as sent. */
  readonly version: string | null;
  readonly items: number;
  /** How many cases the service says that the list has; absent where it does not say, and from an older worker. */
  readonly available?: number;
  readonly next:
    | { readonly kind: 'link'; readonly target: string }
    | { readonly kind: 'page'; readonly page: number }
    | { readonly kind: 'end' }
    /** `problem`: why, for people; absent from older workers. */
    | { readonly kind: 'refused'; readonly problem?: string };
}
