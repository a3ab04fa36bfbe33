/** The `code` of a platform error (ENOENT, EACCES …), never its message: that may quote a path or a line with a secret. */
import { codeOfError } from '../contract/values/index.js';

export function errorCode(error: unknown): string {
  return codeOfError(error) ?? 'unknown error';
}
