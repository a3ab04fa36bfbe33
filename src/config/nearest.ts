/** Finds the known name that somebody most likely meant. Pure. */

export function nearestName(name: string, known: readonly string[]): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(name, candidate);
    if (best === undefined || distance < best.distance) best = { name: candidate, distance };
  }
  return best?.name;
}

/** Like {@link nearestName}, but undefined if more than half of the letters after `prefix` differ: that would be a guess. */
export function closeName(name: string, known: readonly string[], prefix: string): string | undefined {
  const nearest = nearestName(name, known);
  const isClose = nearest !== undefined && editDistance(name, nearest) * 2 <= name.length - prefix.length;
  return isClose ? nearest : undefined;
}

/** Levenshtein: insertions, deletions and replacements, each one step. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
