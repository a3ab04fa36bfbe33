/**
 * Finds names of a person in a text, with any case, accents and blanks. A name of one word, or a short one, is not searched for:
 * too many people have it. Pure.
 */
import type { Span } from './mentions.js';

/** Letters, and the apostrophe, in each of their forms. */
const LETTERS: Readonly<Record<string, string>> = {
  a: 'aáàâãäå',
  c: 'cç',
  e: 'eéèêë',
  i: 'iíìîï',
  n: 'nñ',
  o: 'oóòôõö',
  u: 'uúùûü',
  y: 'yýÿ',
  "'": "'’‘´`",
};
/** The characters to escape. With the flag `u`, no other may be: `D'Ávila`, `Ana-Clara`. */
const SYNTAX = /[\\^$.*+?()[\]{}|/]/u;
const LEAST_LETTERS = 7;

function isFullName(name: string): boolean {
  const words = wordsOf(name).filter((word) => word.length > 1);
  return words.length >= 2 && words.join('').length >= LEAST_LETTERS;
}

/** Undefined if there is no full name to search for. */
export function seekNames(names: readonly string[]): RegExp | undefined {
  const full = [...new Set(names.filter(isFullName).map((name) => wordsOf(name).map(spellings).join('[\\s_+]+')))];
  if (full.length === 0) return undefined;
  full.sort((left, right) => right.length - left.length);
  return new RegExp(`(?<![\\p{L}\\d])(?:${full.join('|')})(?![\\p{L}\\d])`, 'giu');
}

export function namesIn(text: string, names: RegExp | undefined): readonly Span[] {
  if (names === undefined) return [];
  return Array.from(text.matchAll(names), ({ index, 0: { length } }) => ({ from: index, to: index + length }));
}

function wordsOf(name: string): readonly string[] {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[’‘´`]/g, "'")
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** Unicode has an accent in the letter itself, or as a mark after it. */
function spellings(word: string): string {
  return Array.from(word, (letter) => {
    const known = LETTERS[letter];
    return known === undefined ? letter.replace(SYNTAX, '\\$&') : `[${known}]\\p{M}*`;
  }).join('');
}
