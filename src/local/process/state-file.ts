/**
 * Small state files. Written whole or not at all (temporary name, then rename), readable only by us; a file that
 * cannot be parsed reads as absent, because the content of each can be determined again.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export function writeJson(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  const partial = `${file}.${process.pid}.partial`;
  writeFileSync(partial, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(partial, file);
}

/** The parsed content. Its members are unchecked, so `Partial` makes the caller check them. */
export function readJson<T extends object>(file: string): Partial<T> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
