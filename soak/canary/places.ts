/**
 * Which places hold personal data, and which of them must have been reached for a run to prove anything. What is not named here
 * holds none. Secrets stand nowhere but in the configuration, signed links nowhere but in stored answers. Pure data, beside docs/privacy.md.
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

/** What Temporal keeps of a flow in clear without payload keys. */
const READABLE: readonly PlaceName[] = [
  ...(['temporal histories', 'temporal descriptions', 'temporal schedules', 'temporal files'] as const),
];
/** In every mode: our own storage, and what a command prints of a flow's result for the one who asks for it. */
const OURS: readonly PlaceName[] = ['spool', 'files', 'database', 'shown results'];

export function mayHold(place: PlaceName, kind: CanaryKind, mode: Mode): boolean {
  // The service's answers are kept as they came: the link in the list of documents among them, until it expires.
  if (SECRETS.includes(kind)) return kind === 'link' && (place === 'database' || place === 'spool');
  // A journal has the keys by which a flow waits, a lawyer's among them, so that a lost row can wait again.
  if (place === 'journal') return kind === 'oab';
  return OURS.includes(place) || (mode === 'keys off' && READABLE.includes(place));
}

/** Where each kind must be found: otherwise it did not go through the flows, and its absence elsewhere says nothing. */
export function mustHold(kind: CanaryKind, mode: Mode): readonly PlaceName[] {
  if (kind === 'document') return ['files'];
  if (kind === 'link') return ['database'];
  if (SECRETS.includes(kind)) return [];
  return mode === 'keys off' ? ['database', 'temporal histories'] : ['database'];
}
