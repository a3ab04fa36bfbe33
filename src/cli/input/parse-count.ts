/** A count on the command line, for `--limit`. Pure. */
import { InvalidArgumentError } from 'commander';

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('expected a whole number from 1 to 999999');
  return Number(text);
}
