/** Our own messages begin with the name of the package. */

/** A message without that beginning, for a sentence that has one already. */
export function withoutPrefix(message: string): string {
  return message.replace(/^tramita: /, '');
}
