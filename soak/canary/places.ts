/**
 * Which places may hold personal data, and which of them a run must reach to prove anything. Places that are not listed may
 * hold none. Secrets may be only in the configuration, signed links only in stored answers. Pure data, matching
 * docs/privacy.md.
 */
import { SECRETS, type CanaryKind } from './canaries.js';

export const PLACES = [
  ...(['temporal histories', 'temporal lists', 'temporal descriptions', 'temporal schedules', 'temporal ids'] as const),
  ...(['temporal files', 'temporal log', 'postgres log', 'worker log', 'bridge log', 'metrics', 'traces'] as const),
  ...([
    'commands',
    'errors to callers',
    'shown results',
    'ledger export',
    'journal',
    'spool',
    'files',
    'database',
  ] as const),
] as const;
export type PlaceName = (typeof PLACES)[number];

export type Mode = 'keys on' | 'keys off';

/** What Temporal stores of a flow in clear text without payload keys. */
const READABLE: readonly PlaceName[] = [
  ...(['temporal histories', 'temporal descriptions', 'temporal schedules', 'temporal files'] as const),
];
/** In every mode: our own storage, and the results of a flow that a command prints for the person who asks. */
const OURS: readonly PlaceName[] = ['spool', 'files', 'database', 'shown results'];

export function mayHold(place: PlaceName, kind: CanaryKind, mode: Mode): boolean {
  // The service's answers are stored as they came, including the link in the list of documents until it expires.
  if (SECRETS.includes(kind)) return kind === 'link' && (place === 'database' || place === 'spool');
  // A journal holds the keys for which a flow waits, some with a lawyer's registration, so that a restored row can wait again.
  if (place === 'journal') return kind === 'oab';
  return OURS.includes(place) || (mode === 'keys off' && READABLE.includes(place));
}

/** Where each kind must be found: otherwise it did not pass through the flows, and its absence elsewhere proves nothing. */
export function mustHold(kind: CanaryKind, mode: Mode): readonly PlaceName[] {
  if (kind === 'document') return ['files'];
  if (kind === 'link') return ['database'];
  if (SECRETS.includes(kind)) return [];
  return mode === 'keys off' ? ['database', 'temporal histories'] : ['database'];
}
