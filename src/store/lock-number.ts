/**
 * Names of advisory locks and their numbers in PostgreSQL. One hash for every room, so that bridge and ledger take the same
 * lock for the same waiter key. Two names that share a number merely wait for each other.
 */
import { createHash } from 'node:crypto';

/** Signed 64-bit number of a lock name. */
export function lockNumber(name: string): bigint {
  return createHash('sha256').update(name).digest().readBigInt64BE(0);
}

/** Numbers of several names without duplicates, in the order in which locks are taken everywhere. */
export function lockNumbers(names: readonly string[]): readonly bigint[] {
  return [...new Set(names.map(lockNumber))].sort((left, right) => (left < right ? -1 : left > right ? 1 : 0));
}
