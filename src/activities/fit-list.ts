/** Results of activities stay below 2 MB, which is as much as the engine takes: a list that may be longer is cut. Pure. */

/** The beginning of `items` that takes no more than `roomBytes` as JSON, and the room that is left. */
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
