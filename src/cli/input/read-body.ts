/** A file as bytes, or standard input; what cannot be read is a usage error. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorCode } from '../../config/index.js';
import { usageError } from '../exit-codes.js';

export function readBodyFile(cwd: string, file: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : resolve(cwd, file));
  } catch (error) {
    throw usageError(
      `${file}: cannot be read (${errorCode(error)}); expected a readable file, or - for standard input`,
    );
  }
}
