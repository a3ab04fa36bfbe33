/**
 * Replaces a payload that the worker could not decode. Every reader of ours refuses it with its reason, so that a stranger's
 * payload ends a run, drops a signal or refuses an update, and never fails a workflow task again and again. Pure.
 */

/** JSON has no symbols, so nobody can send this mark. All copies of this module in a process share it. */
const REASON = Symbol.for('tramita.undecodable');

export interface Undecodable {
  readonly [REASON]: string;
}

/** `reason`: why, in words for the sender; nothing of the payload's content. */
export function undecodable(reason: string): Undecodable {
  return Object.freeze({ [REASON]: reason });
}

/** Why `value` cannot be read; undefined if it was decoded. The SDK decodes bytes, but no input of ours is made of bytes. */
export function undecodableReason(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (ArrayBuffer.isView(value)) return 'encoding binary/plain';
  return REASON in value ? String(value[REASON]) : undefined;
}
