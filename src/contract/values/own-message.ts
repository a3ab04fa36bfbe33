/** Our own messages begin with the name of the package. */

/** A message without the prefix, for a sentence that already has it. */
export function withoutPrefix(message: string): string {
  return message.replace(/^tramita: /, '');
}
