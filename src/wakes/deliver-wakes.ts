/**
 * Delivers wakes without a bridge or worker, for a command that owes wakes itself and reports their outcome. Wakes that are not
 * delivered here stay owed in the inbox, and the relay of any bridge or worker delivers them.
 */
import { publicEventId, publicEventName, type ReplayedWake, type Wake } from '../inbox/index.js';
import type { WakeInput } from '../protocol/index.js';
import { createWaker, type WakerDeps } from './waker.js';

/** As many as a round of the relay: delivered wakes are marked soon, and an outage is noticed soon. */
const BATCH = 64;

const SILENT = { warn: () => undefined, error: () => undefined };

export interface DeliveredWakes {
  readonly woken: number;
  /** The flow had ended; its waiters are dropped. */
  readonly gone: number;
  /** Temporal refuses the workflow id for good. Logged as errors. */
  readonly refused: number;
  /** Not delivered; still owed. */
  readonly later: number;
}

/** Stops after a batch in which every signal failed. Never rejects because of Temporal or the inbox. */
export async function deliverWakes<W extends Wake>(
  deps: Pick<WakerDeps, 'inbox' | 'signalWake'> & {
    readonly log?: WakerDeps['log'];
    readonly payloadOf: (wake: W) => WakeInput;
    /** Called after each batch. */
    readonly onProgress?: (done: number) => void;
  },
  wakes: readonly W[],
): Promise<DeliveredWakes> {
  const waker = createWaker({ log: SILENT, ...deps, count: () => undefined });
  const counts = { woken: 0, gone: 0, refused: 0 };
  for (let start = 0, away = false; start < wakes.length && !away; start += BATCH) {
    const batch = wakes.slice(start, start + BATCH);
    const { woken, gone, refused, failed } = await waker.deliver(batch, deps.payloadOf);
    counts.woken += woken;
    counts.gone += gone.length;
    counts.refused += refused;
    away = failed === batch.length;
    deps.onProgress?.(start + batch.length);
  }
  return { ...counts, later: wakes.length - counts.woken - counts.gone - counts.refused };
}

/** Signal payload for a flow that an operator wakes about a stored event. */
export function replayPayload({ eventId, event }: ReplayedWake): WakeInput {
  return {
    reason: 'replay',
    eventId: publicEventId(eventId),
    ...(event === '' ? {} : { event: publicEventName(event) }),
  };
}
