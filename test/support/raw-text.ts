/**
 * A value of the Temporal server as searchable text: a line for each member, bytes as latin1. `JSON.stringify` would not do,
 * because messages of Temporal write their bytes as base64 there.
 */
export function rawText(value: unknown, name = ''): string {
  if (value instanceof Uint8Array) return `${name}=${Buffer.from(value).toString('latin1')}\n`;
  if (typeof value !== 'object' || value === null) return `${name}=${String(value)}\n`;
  return Object.entries(value)
    .map(([member, inner]) => rawText(inner, member))
    .join('');
}
