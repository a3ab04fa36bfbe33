/** The input of every reader: one stored answer and the call that it answers. */
import type { Gaps, Operation, Parameters } from '../../contract/index.js';
import type { StoredAnswerFile } from '../../protocol/index.js';

export interface ReadableAnswer {
  readonly operation: Operation<string>;
  readonly params: Parameters;
  /** The link of a following page, if that was requested instead of `params`. */
  readonly target?: string;
  /** Base URL of the account, for links in the answer. */
  readonly baseUrl?: string;
  readonly gaps: Gaps;
  /** Parsed JSON; undefined if the answer is none. */
  readonly body: unknown;
  /** Size and hash of the answer as it came. */
  readonly bytes: number;
  readonly sha256: string;
  /** The service's own headers, of the answer to this very request: they are not stored. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer is a file on disk; there is no body then. */
  readonly file?: StoredAnswerFile;
  /** The file may not be in the file store yet. */
  readonly fileOwed?: true;
}
