/** The body of an event that `tramita webhook send` makes, also with `--forge`. */
import { randomUUID } from 'node:crypto';
import { formatCnj, present } from '../../contract/index.js';

/** All zeros, the number of no case, as the test button of the dashboard sends it (docs/webhooks.md). */
export const PROBE_CNJ = '0'.repeat(20);

/** The enveloped form of interface "Webhook payload (normalized)". */
export function buildEventBody(members: {
  readonly event: string;
  readonly id?: string | undefined;
  /** 20 digits. */
  readonly cnj?: string | undefined;
  readonly requestId?: string | undefined;
}): Buffer {
  const { event, id, cnj, requestId } = members;
  return Buffer.from(
    JSON.stringify({
      id: id ?? randomUUID(),
      event,
      source: 'tramita webhook send',
      created_at: new Date().toISOString(),
      data: present({ requestId, numeroCnj: cnj === undefined ? undefined : formatCnj(cnj) }),
    }),
  );
}
