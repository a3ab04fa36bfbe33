/**
 * The rows of the fault matrix: which fault is armed at the sandbox, where it strikes, and when the service can no longer
 * charge. F0 and F2 strike connections and are handled in `unreachable.ts`. Pure.
 */

/** Where in a call a fault strikes: its first page, a later page, the 202 of a call that answers later, its poll. */
export type Where = 'call' | 'page' | 'accepted' | 'poll';

export interface FaultRow {
  readonly label: string;
  readonly fault: Readonly<Record<string, unknown>> & { readonly fault: string };
  readonly where: readonly Where[];
  /** How long after the send the service may still charge. */
  readonly lateMs?: number;
  /** It delays its call longer than any time limit, so only a small sample runs. */
  readonly slow?: true;
  /** Fires only when tramita does something forbidden: its count must stay at zero. */
  readonly trap?: true;
}

const ALL: readonly Where[] = ['call', 'page', 'accepted', 'poll'];
const NOT_POLL: readonly Where[] = ['call', 'page', 'accepted'];

export const FAULT_ROWS: readonly FaultRow[] = [
  row('F1', 'reset after the request', ALL, {}),
  row('F3', 'cut before the charge', ALL, {}),
  row('F4', 'charged, no byte', ALL, {}),
  row('F5', 'cut in the head', ALL, {}),
  row('F6', 'cut in the body, length', ALL, { cut: 'length' }),
  row('F6', 'cut in the body, chunked', ALL, { cut: 'chunked' }),
  row('F6', 'cut in the body, close', ALL, { cut: 'close' }),
  { ...row('F7', 'late, in time', NOT_POLL, { ms: 300 }), lateMs: 500 },
  { ...row('F7', 'hangs past the deadline', ['call', 'accepted'], { ms: 40_000 }), lateMs: 42_000, slow: true },
  row('F8', 'drips, in time', ALL, { everyMs: 2, bytes: 200 }),
  { ...row('F8', 'drips past the deadline', ['call', 'accepted'], { everyMs: 1_000, bytes: 1 }), slow: true },
  row('F9', 'charged, 500', NOT_POLL, { status: 500 }),
  row('F9', 'charged, 502', ALL, { status: 502 }),
  row('F9', 'charged, 504', NOT_POLL, { status: 504 }),
  row('F10', '202 lost', ['accepted'], {}),
  row('F11', 'final of a poll lost', ['poll'], {}),
  row('F12', 'HTML', NOT_POLL, { variant: 'html' }),
  row('F12', 'cut gzip', NOT_POLL, { variant: 'gzip' }),
  row('F12', 'cut JSON', ALL, { variant: 'json' }),
  row('F12', 'empty', NOT_POLL, { variant: 'empty' }),
  row('F12', 'other type', NOT_POLL, { variant: 'type' }),
  row('F13', '2.5 MB', ALL, { bytes: 2_500_000 }),
  { ...row('F14', 'stale connection, uncharged', ['call'], {}), trap: true },
  { ...row('F14', 'stale connection, charged', ['accepted'], { charged: true }), trap: true },
  row('F14', 'stale connection of a poll', ['poll'], {}),
  row('F15', 'redirect to another origin', ALL, {}),
  row('F16', 'links to another origin', ALL, {}),
  row('F17', 'next page is this page', ['page'], { variant: 'self' }),
  row('F17', 'next page is the first', ['page'], { variant: 'first' }),
  row('status', '503, not charged', NOT_POLL, { status: 503 }),
];

function row(
  fault: string,
  what: string,
  where: readonly Where[],
  members: Readonly<Record<string, unknown>>,
): FaultRow {
  return { label: `${fault} ${what}`, fault: { fault, ...members }, where };
}
