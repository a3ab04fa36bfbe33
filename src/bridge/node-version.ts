/**
 * Whether this Node lacks fixes that a public HTTP listener should have (V8 CVE-2026-21717). The bridge is safe without them: it
 * reads raw headers, never the member that crashes, and counts keys before it parses. So this is a warning at the start, not a
 * refusal. Pure.
 */

/** First fixed release of each line that got a fix; lines after the last one had it from their first release. */
const FIRST_FIXED: Readonly<Record<number, readonly [minor: number, patch: number]>> = {
  20: [20, 2],
  22: [22, 2],
  24: [14, 1],
  25: [8, 2],
};
const NEWEST_LINE = 25;

/** `version` as in `process.versions.node`. */
export function nodeVersionProblem(version: string): string | undefined {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const fixed = FIRST_FIXED[major];
  if (major > NEWEST_LINE) return undefined;
  if (fixed !== undefined && (minor > fixed[0] || (minor === fixed[0] && patch >= fixed[1]))) return undefined;
  const wanted = Object.entries(FIRST_FIXED).map(([line, [least, last]]) => `${line}.${least}.${last}`);
  return `Node ${version} lacks fixes against crafted requests (CVE-2026-21710, CVE-2026-21717); run at least ${wanted.join(', ')} or a later line`;
}
