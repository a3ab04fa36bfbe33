/** A count on the command line, for `--limit`. Pure. */
import { InvalidArgumentError } from 'commander';

export function countUpTo(most: number): (text: string) => number {
  return (text) => {
    const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
    if (count < 1 || count > most) throw new InvalidArgumentError(`expected a whole number from 1 to ${most}`);
    return count;
  };
}

export const parseCount = countUpTo(999_999);
