/** The set of states that were reached: packed words in an open hash table. Each state is numbered in order of discovery. */
import { WORDS } from './encode.js';

const FIRST_SIZE = 1 << 16;

export interface SeenStates {
  readonly size: () => number;
  /** Number of the state, and whether it is new. */
  readonly add: (words: Uint32Array) => { readonly index: number; readonly isNew: boolean };
  /** All states, {@link WORDS} words each. */
  readonly words: () => Uint32Array;
}

export function createSeenStates(): SeenStates {
  let store = new Uint32Array(FIRST_SIZE * WORDS);
  let table = new Int32Array(FIRST_SIZE * 2).fill(-1);
  let size = 0;

  const place = (words: Uint32Array, at: number): number => {
    const mask = table.length - 1;
    let slot = hash(words, at) & mask;
    for (;;) {
      const index = table[slot] ?? -1;
      if (index < 0 || isEqual(store, index * WORDS, words, at)) return slot;
      slot = (slot + 1) & mask;
    }
  };
  const grow = (): void => {
    const wider = new Uint32Array(store.length * 2);
    wider.set(store);
    store = wider;
    table = new Int32Array(table.length * 2).fill(-1);
    for (let index = 0; index < size; index += 1) table[place(store, index * WORDS)] = index;
  };
  return {
    size: () => size,
    words: () => store,
    add: (words) => {
      const slot = place(words, 0);
      const known = table[slot] ?? -1;
      if (known >= 0) return { index: known, isNew: false };
      const index = size;
      store.set(words, index * WORDS);
      table[slot] = index;
      size += 1;
      if (size * WORDS === store.length) grow();
      return { index, isNew: true };
    },
  };
}

function isEqual(a: Uint32Array, atA: number, b: Uint32Array, atB: number): boolean {
  for (let word = 0; word < WORDS; word += 1) if (a[atA + word] !== b[atB + word]) return false;
  return true;
}

/** The mixing function of MurmurHash3 (public domain), word by word. */
function hash(words: Uint32Array, at: number): number {
  let sum = 0x9e3779b9;
  for (let word = 0; word < WORDS; word += 1) {
    let k = Math.imul(words[at + word] ?? 0, 0xcc9e2d51);
    k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
    sum ^= k;
    sum = (Math.imul((sum << 13) | (sum >>> 19), 5) + 0xe6546b64) | 0;
  }
  sum = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  sum = Math.imul(sum ^ (sum >>> 13), 0xc2b2ae35);
  return (sum ^ (sum >>> 16)) >>> 0;
}
