/** Text of others on its way into HTML. */
import { printable } from '../output/output.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Fit for text and for attributes in quotes; characters that cannot be seen or that turn the direction become `?`. */
export function escapeHtml(text: string): string {
  return printable(text, Infinity).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
