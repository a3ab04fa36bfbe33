/** What a reading is made of: one stored answer and the call that it answers. */
import type { Gaps, Operation, Parameters } from '../../contract/index.js';
import type { StoredAnswerFile } from '../../protocol/index.js';

export interface ReadableAnswer {
  readonly operation: Operation<string>;
  readonly params: Parameters;
  /** What was asked for instead of `params`: the link of a following page. */
  readonly target?: string;
  /** Of the account, for links in the answer. */
  readonly baseUrl?: string;
  readonly gaps: Gaps;
  /** Parsed JSON; undefined where the answer is not one. */
  readonly body: unknown;
  /** Size and hash of the answer as it came. */
  readonly bytes: number;
  readonly sha256: string;
  /** The answer is a file on disk; there is no body then. */
  readonly file?: StoredAnswerFile;
  /** It may still be on its way to the file store. */
  readonly fileOwed?: true;
}
