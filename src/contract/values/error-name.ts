/** Errors told apart by their name, not by their class: they may come from another copy of a module. Pure. */

export function hasErrorName(error: unknown, name: string): boolean {
  return (error as { readonly name?: unknown } | null | undefined)?.name === name;
}
