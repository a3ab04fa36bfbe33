/**
 * Makes output safe for a terminal or a file. Names, ids, reasons and bodies come from the service, from webhook senders and from
 * callers, and may hold sequences that a terminal executes. Every command writes through here. Pure.
 */
import type { CliContext } from '../context.js';

/** Control characters, invisible ones, those that change the direction of text, and line ends that few programs know. */
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Sequences that we write: colours, but no black or hidden text; overwriting of a line; line ends of CSV. */
// eslint-disable-next-line no-control-regex -- our own control characters
const OURS = /(\u001b\[(?:0|1|2|22|3[1-79]|39|9[1-7])m|\r\u001b\[K|\r(?=\n))/;

/** The same context, with streams that replace unsafe characters. */
export function harmless(context: CliContext): CliContext {
  const clean = (text: string): string => harmlessText(text, context.isTerminal);
  return { ...context, out: (text) => context.out(clean(text)), err: (text) => context.err(clean(text)) };
}

/** `coloured` keeps our own colours and overwritten lines. */
export function harmlessText(text: string, coloured: boolean): string {
  return text
    .split(OURS)
    .map((part, index) => (index % 2 === 1 && (coloured || part === '\r') ? part : part.replace(UNSAFE, '?')))
    .join('');
}

/** JSON with its unsafe characters escaped: it parses to the same value. */
export function harmlessJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(UNSAFE, escaped);
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
}
