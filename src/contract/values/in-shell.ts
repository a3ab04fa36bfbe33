/** One word of a POSIX shell, in quotes, for commands that people copy: anyone who starts a flow chooses its id. Pure. */
export function inShell(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
