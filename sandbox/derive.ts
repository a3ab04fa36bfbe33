/** Values derived from the seed: the same seed and label give the same value, always. Pure. */
import { createHash } from 'node:crypto';

export function deriveBytes(seed: string, ...label: readonly (string | number)[]): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([seed, ...label]))
    .digest();
}

/** A whole number from 0 to `below` − 1. Not secret, so a fast hash will do: a page of records needs hundreds. */
export function deriveInteger(seed: string, below: number, ...label: readonly (string | number)[]): number {
  return hash32(`${seed}\n${label.join('\n')}`) % below;
}

/** Looked up once: inside a virtual machine context every access to a global is slow. */
const { imul } = Math;

/** cyrb53's two lanes folded to 32 bits: well spread over short, similar texts. */
function hash32(text: string): number {
  let first = 0xdeadbeef;
  let second = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    first = imul(first ^ code, 2_654_435_761);
    second = imul(second ^ code, 1_597_334_677);
  }
  first = imul(first ^ (first >>> 16), 2_246_822_507) ^ imul(second ^ (second >>> 13), 3_266_489_909);
  second = imul(second ^ (second >>> 16), 2_246_822_507) ^ imul(first ^ (first >>> 13), 3_266_489_909);
  return (first ^ second) >>> 0;
}

/** An UUID (version 4 by its form). */
export function deriveUuid(seed: string, ...label: readonly (string | number)[]): string {
  const hex = deriveBytes(seed, ...label).toString('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}

export function sha256Hex(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}
