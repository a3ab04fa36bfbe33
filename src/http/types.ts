/**
 * Types of the http room. An *exchange* is one attempt to send one request, with its result. Its kind depends on the send
 * boundary (was the connection established?), never on an error code alone.
 */
import type { AnswerMeta, Pending, ServiceError } from '../contract/index.js';
import type { StoredFile } from '../files/index.js';

/** Head of an answer; `headers` holds only the allow-listed ones, lower-case. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Our clock when the head was complete. */
  readonly receivedAtMs: number;
  /** The answer's own `Date`, epoch ms. */
  readonly dateMs?: number;
}

export type Exchange =
  /** Proven: it failed before the connection was established, or the age fence refused it. No byte was written. */
  | { readonly kind: 'not_sent'; readonly reason: string }
  /** The connection was established, but no complete answer head came back. */
  | { readonly kind: 'no_answer'; readonly reason: string }
  /** A head came, but the body is cut, too large or took too long. */
  | {
      readonly kind: 'cut';
      readonly head: AnswerHead;
      readonly reason: string;
      /** Over our cap, so the same answer would be cut again. */
      readonly tooLarge?: true;
    }
  | { readonly kind: 'answer'; readonly head: AnswerHead; readonly body: Buffer }
  /** A complete file in the store. Only where the caller gave a `sink`; its content type does not matter. */
  | { readonly kind: 'file'; readonly head: AnswerHead; readonly file: StoredFile };

/** What an {@link Exchange} means for the charge. The ledger and the flow act on it. */
export type Judgement =
  /** `body` is undefined where the answer is a file. */
  | { readonly outcome: 'DONE'; readonly body: unknown; readonly meta: AnswerMeta }
  | {
      readonly outcome: 'PENDING';
      readonly pending: Pending;
      readonly hintMs: number | null;
      readonly meta: AnswerMeta;
    }
  | {
      readonly outcome: 'REJECTED';
      readonly error: ServiceError;
      readonly aboutBalance: boolean;
      readonly retryAfterMs: number | null;
      readonly meta: AnswerMeta;
    }
  | { readonly outcome: 'NOT_SENT'; readonly reason: string }
  | { readonly outcome: 'CHARGED_LOST'; readonly reason: string }
  | { readonly outcome: 'UNKNOWN'; readonly reason: string; readonly meta: AnswerMeta };
