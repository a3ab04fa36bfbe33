/**
 * Values of a sender as SQL text, for statements that must travel in one message with others and so cannot have parameters.
 * They appear as they are where they hold nothing but plain letters, digits and a few signs, and as hex digits otherwise:
 * there is nothing to escape and nothing that could be forgotten. Pure.
 */

/** No quote, no backslash, no control character, nothing above ASCII. */
const PLAIN = /^[A-Za-z0-9 :_.+#-]*$/;

export function bytesLiteral(value: Buffer): string {
  return `'\\x${value.toString('hex')}'::bytea`;
}

export function textLiteral(value: string | undefined): string {
  if (value === undefined) return 'null::text';
  if (PLAIN.test(value)) return `'${value}'::text`;
  // The encoding's name would lend the text its collation, and no index of a column could be used.
  return `convert_from(${bytesLiteral(Buffer.from(value))}, 'UTF8') collate "default"`;
}

export function textsLiteral(values: readonly string[]): string {
  return `array[${values.map(textLiteral).join(', ')}]::text[]`;
}

/** Of our own clock. */
export function instantLiteral(epochMs: number): string {
  return `'${new Date(epochMs).toISOString()}'::timestamptz`;
}
