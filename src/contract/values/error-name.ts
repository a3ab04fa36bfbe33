/** Errors are recognised by name, not by class, because they may come from another copy of a module. Pure. */

export function hasErrorName(error: unknown, name: string): boolean {
  return (error as { readonly name?: unknown } | null | undefined)?.name === name;
}

/** The code of an error of the system, of a library or of PostgreSQL (`ENOENT`, `40P01`); undefined if it has none. */
export function codeOfError(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Errors that `pg` and `pg-pool` 8 make without a code; the texts are fixed. */
export const CODELESS =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed)/;

/** Name and code of an error. Never its text, which may hold an address, except the fixed texts of the database driver. */
export function nameOfError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return typeof error;
  const { name, code, message } = error as {
    readonly name?: unknown;
    readonly code?: unknown;
    readonly message?: unknown;
  };
  const fixed = typeof message === 'string' ? CODELESS.exec(message)?.[0] : undefined;
  return fixed ?? ([name, code].filter((part) => typeof part === 'string').join(' ') || 'error');
}
