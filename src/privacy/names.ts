/**
 * Names of a person in a text, whatever case, accents and blanks they are written with. A name of one word, or a short one, is no
 * name in a text: too many others have it. Pure.
 */
import type { Span } from './mentions.js';

const LETTERS: Readonly<Record<string, string>> = {
  a: 'aáàâãäå',
  c: 'cç',
  e: 'eéèêë',
  i: 'iíìîï',
  n: 'nñ',
  o: 'oóòôõö',
  u: 'uúùûü',
  y: 'yýÿ',
};
/** All else stands for itself, and may not be escaped: `D'Ávila`, `Ana-Clara`. */
const SYNTAX = /[\\^$.*+?()[\]{}|/]/u;
const LEAST_LETTERS = 7;

function isFullName(name: string): boolean {
  const words = wordsOf(name).filter((word) => word.length > 1);
  return words.length >= 2 && words.join('').length >= LEAST_LETTERS;
}

/** Undefined where there is no name to look for. */
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
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** A letter may carry its accent in itself or behind it. */
function spellings(word: string): string {
  return Array.from(word, (letter) => {
    const known = LETTERS[letter];
    return known === undefined ? letter.replace(SYNTAX, '\\$&') : `[${known}]\\p{M}*`;
  }).join('');
}
