/** Makes text from outside safe for HTML. */
import { printable } from '../output/output.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text and for quoted attributes. Characters that are invisible or change the direction of text become `?`. */
export function escapeHtml(text: string): string {
  return printable(text, Infinity).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
