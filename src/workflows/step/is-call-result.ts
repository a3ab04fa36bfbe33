/**
 * Is this what a charged activity of ours returns? Pure. A person may complete an activity by hand, with anything: what is
 * not an outcome proves nothing, and must not break the flow's task.
 */
import type { ChargedCallResult } from '../../protocol/index.js';

type Members = Partial<Record<'outcome' | 'settled' | 'reading' | 'sinceMs' | 'because' | 'problem', unknown>>;

export function isCallResult(value: unknown): value is ChargedCallResult {
  if (typeof value !== 'object' || value === null) return false;
  const { outcome, settled, reading, sinceMs, because, problem }: Members = value;
  switch (outcome as ChargedCallResult['outcome']) {
    case 'DONE':
      return typeof settled === 'boolean' && typeof reading === 'object' && reading !== null;
    case 'PENDING':
      return typeof settled === 'boolean' && typeof sinceMs === 'number';
    case 'REJECTED':
    case 'NOT_SENT':
    case 'CHARGED_LOST':
    case 'UNKNOWN':
      return typeof settled === 'boolean';
    case 'HELD':
      return typeof because === 'string';
    case 'REFUSED':
      return typeof problem === 'string';
    default:
      return false;
  }
}
