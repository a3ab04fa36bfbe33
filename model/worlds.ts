/** The call that the two flows make, and its terms: the worlds that are explored. */
import { OPERATIONS, type Operation } from '../src/contract/index.js';

export interface World {
  readonly title: string;
  readonly operation: Operation;
  /** The work can be followed by the status of its case. */
  readonly byStatus: boolean;
  /** Only tramita spends from the account, and the answer debits it: the balance may be evidence. */
  readonly exclusive: boolean;
  /** Both flows carry the same `once` key. */
  readonly once: string | undefined;
}

export const WORLDS: readonly World[] = [
  world('a refresh', 'requestRefresh', { byStatus: true, exclusive: false, once: undefined }),
  world('a summary on an exclusive account', 'requestSummary', { byStatus: false, exclusive: true, once: undefined }),
  world('a summary under one once key', 'requestSummary', { byStatus: false, exclusive: false, once: 'key' }),
];

export function worldOf({ world: number }: { readonly world: number }): World {
  const found = WORLDS[number];
  if (found === undefined) throw new Error(`tramita: the model has no world ${number}; it has ${WORLDS.length}`);
  return found;
}

function world(title: string, id: Operation['id'], terms: Omit<World, 'title' | 'operation'>): World {
  const operation = OPERATIONS.find((row) => row.id === id);
  if (operation === undefined) throw new Error(`tramita: the catalogue has no operation "${id}"`);
  return { title, operation, ...terms };
}
