/** Finds a program the way a shell does: the first executable file of that name in the folders of PATH. */
import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

export function findOnPath(name: string, path = ''): string | undefined {
  return path
    .split(':')
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find(isExecutableFile);
}

export function isExecutableFile(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
