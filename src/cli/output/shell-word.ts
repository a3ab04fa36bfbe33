/** A text as one word of a POSIX shell, in quotes only where it needs them. Pure. */
import { inShell } from '../../contract/values/index.js';

export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : inShell(text);
}
