/** Values derived from the seed: the same seed and label give the same value for ever. Pure. */
import { createHash } from 'node:crypto';

export function deriveBytes(seed: string, ...label: readonly (string | number)[]): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([seed, ...label]))
    .digest();
}

/** A whole number from 0 to `below` − 1. */
export function deriveInteger(seed: string, below: number, ...label: readonly (string | number)[]): number {
  return deriveBytes(seed, ...label).readUInt32BE(0) % below;
}

/** An UUID (version 4 by its form). */
export function deriveUuid(seed: string, ...label: readonly (string | number)[]): string {
  const hex = deriveBytes(seed, ...label).toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)];
  return parts.join('-');
}

export function sha256Hex(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}
