/** The `code` of a platform error (ENOENT, EACCES …), never its message: that may quote a path or a line with a secret. */

export function errorCode(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unknown error';
}
