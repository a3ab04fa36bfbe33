/** Answers that are files: which calls have them, and what a ledger row remembers of one. Pure. */
import { present, type Operation } from '../../contract/index.js';
import type { Files } from '../../files/index.js';
import type { Exchange } from '../../http/index.js';
import type { Intent } from '../../ledger/index.js';
import type { StoredAnswerFile } from '../../protocol/index.js';

export function isFileCall(operation: Operation<string>): boolean {
  return operation.answer === 'pdf';
}

/** Whether the final answer may be a file: that of a file operation is, and that of work that we did not start may be. */
export function mayEndInFile({ answer }: Operation<string>): boolean {
  return answer === 'pdf' || answer === 'reproduced';
}

/** The file of an exchange; undefined where the answer is not one. */
export function storedFileOf(exchange: Exchange): StoredAnswerFile | undefined {
  if (exchange.kind !== 'file') return undefined;
  const { stored, sha256, bytes } = exchange.file;
  const contentType = exchange.head.headers['content-type'];
  return { stored, sha256, bytes, ...present({ contentType }) };
}

/** True if the flow has to wait until the file is in the file store: only if that is not the worker's own disk. */
export function isOwed({ elsewhere }: Pick<Files, 'elsewhere'>, file: StoredAnswerFile | undefined): true | undefined {
  return file !== undefined && elsewhere ? true : undefined;
}

/** The file that the row was settled with. */
export function rememberedFile({ evidence }: Pick<Intent, 'evidence'>): StoredAnswerFile | undefined {
  const { stored, sha256, bytes, contentType } = (evidence?.['file'] ?? {}) as Partial<StoredAnswerFile>;
  if (stored === undefined || sha256 === undefined || bytes === undefined) return undefined;
  return { stored, sha256, bytes, ...present({ contentType }) };
}
