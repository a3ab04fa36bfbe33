/** Folders of a test file, removed at its end; and programs that are a few lines of shell. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const made: string[] = [];

afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `tramita-${name}-`));
  made.push(folder);
  return folder;
}

export function writeProgram(file: string, lines: readonly string[]): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
  return file;
}
