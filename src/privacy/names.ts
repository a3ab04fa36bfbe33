/**
 * Finds names of a person in a text, with any case, accents and blanks, also as HTML writes them: texts of notices are HTML. A
 * name of one word, or a short one, is not searched for: too many people have it. Pure.
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
/** In HTML a character may be a number. */
const NUMBERED = '&#x?[0-9a-f]{2,4};';
/** Between two words. A tag of another kind, such as the end of a cell, parts two names. */
const BLANKS = '(?:[\\s_+]|&nbsp;|&#160;|&#xa0;|</?(?:a|b|br|em|font|i|span|strong|u|wbr)\\b[^<>]{0,100}>)+';
/** The characters to escape. With the flag `u`, no other may be: `D'Ávila`, `Ana-Clara`. */
const SYNTAX = /[\\^$.*+?()[\]{}|/]/u;
const LEAST_LETTERS = 7;

function isFullName(name: string): boolean {
  const words = wordsOf(name).filter((word) => word.length > 1);
  return words.length >= 2 && words.join('').length >= LEAST_LETTERS;
}

/** Undefined if there is no full name to search for. */
export function seekNames(names: readonly string[]): RegExp | undefined {
  const full = [...new Set(names.filter(isFullName).map((name) => wordsOf(name).map(spellings).join(BLANKS)))];
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
    if (letter === '&') return '&(?:amp;)?';
    const known = LETTERS[letter];
    if (known === undefined) return letter.replace(SYNTAX, '\\$&');
    const named = letter === "'" ? 'apos|[rl]squo|acute' : `${letter}(?:acute|grave|circ|tilde|uml|ring|cedil)`;
    return `(?:[${known}]\\p{M}*|&(?:${named});|${NUMBERED})`;
  }).join('');
}
