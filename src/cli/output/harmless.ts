/**
 * Text of others on its way to a terminal or a file: names, ids, reasons and bodies come from the service, from senders and from
 * callers who start flows, and a terminal obeys what is in them. Every command writes through here. Pure.
 */
import type { CliContext } from '../context.js';

/** Control characters, those that turn the direction of text or cannot be seen, and line ends that few programs know. */
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** What we write ourselves: colours without black and hidden text, a line that is written again, line ends of CSV. */
// eslint-disable-next-line no-control-regex -- our own control characters
const OURS = /(\u001b\[(?:0|1|2|22|3[1-79]|39|9[1-7])m|\r\u001b\[K|\r(?=\n))/;

/** The same streams, which only carry what a terminal may see. */
export function harmless(context: CliContext): CliContext {
  const clean = (text: string): string => harmlessText(text, context.isTerminal);
  return { ...context, out: (text) => context.out(clean(text)), err: (text) => context.err(clean(text)) };
}

/** `coloured`: our own colours and lines that are written again stay. */
export function harmlessText(text: string, coloured: boolean): string {
  return text
    .split(OURS)
    .map((part, place) => (place % 2 === 1 && (coloured || part === '\r') ? part : part.replace(UNSAFE, '?')))
    .join('');
}

/** JSON whose strings are what they were, and whose text has nothing that a terminal obeys. */
export function harmlessJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(UNSAFE, escaped);
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
}
