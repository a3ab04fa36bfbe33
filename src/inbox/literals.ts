/**
 * Values of a sender as SQL text, for statements that must travel in one message with others and so cannot have parameters.
 * They appear as hex digits only, whatever they hold: there is nothing to escape and nothing that could be forgotten. Pure.
 */

export function bytesLiteral(value: Buffer): string {
  return `'\\x${value.toString('hex')}'::bytea`;
}

/** The encoding's name would lend the text its collation, and no index of a column could be used. */
export function textLiteral(value: string | undefined): string {
  return value === undefined
    ? 'null::text'
    : `convert_from(${bytesLiteral(Buffer.from(value))}, 'UTF8') collate "default"`;
}

export function textsLiteral(values: readonly string[]): string {
  return `array[${values.map(textLiteral).join(', ')}]::text[]`;
}

/** Of our own clock. */
export function instantLiteral(epochMs: number): string {
  return `'${new Date(epochMs).toISOString()}'::timestamptz`;
}
