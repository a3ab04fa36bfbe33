/** Cuts lists that may be too long, because Temporal takes results of activities up to 2 MB. Pure. */

/** The first `items` that fit into `roomBytes` as JSON, and the bytes that are left. */
export function fitList<T>(
  items: readonly T[],
  roomBytes: number,
): { readonly items: readonly T[]; readonly leftBytes: number } {
  let leftBytes = roomBytes;
  for (const [place, item] of items.entries()) {
    const bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (bytes > leftBytes) return { items: items.slice(0, place), leftBytes };
    leftBytes -= bytes;
  }
  return { items, leftBytes };
}
