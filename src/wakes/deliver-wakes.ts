/**
 * The waker without a bridge or worker around it: for whoever owes wakes himself (an operator's replay) and wants to know what
 * became of them. They are owed in the inbox already, so what is left here is delivered by a relay of any bridge or worker.
 */
import type { ReplayedWake } from '../inbox/index.js';
import type { WakeInput } from '../protocol/index.js';
import { publicEventId, publicEventName } from './public-names.js';
import type { SignalWake, WakeInbox, WakesLog } from './types.js';
import { createWaker, nameOf } from './waker.js';

/** As many as a round of the relay takes: what was delivered is marked soon, and an outage is noticed soon. */
const BATCH = 64;

export interface DeliveredWakes {
  readonly woken: number;
  /** Had ended; their waiters are dropped. */
  readonly gone: number;
  /** Can never be signalled: Temporal refuses the id. Logged as errors. */
  readonly refused: number;
  /** Not reached; still owed. */
  readonly later: number;
}

/** Stops after a batch of which none was reached. Never rejects because of Temporal or of the inbox. */
export async function deliverWakes(
  deps: {
    readonly inbox: Pick<WakeInbox, 'markWoken' | 'dropWaiters' | 'waitersElsewhere'>;
    readonly signalWake: SignalWake;
    readonly log: WakesLog;
    /** Told after each batch. */
    readonly onProgress?: (done: number) => void;
  },
  wakes: readonly ReplayedWake[],
): Promise<DeliveredWakes> {
  const { inbox, signalWake, log, onProgress } = deps;
  const waker = createWaker({ inbox, signalWake, log, count: () => undefined });
  const payloads = new Map(wakes.map((wake) => [wake.workflowId, payloadOf(wake)]));
  const counts = { woken: 0, gone: 0, refused: 0 };
  for (let start = 0, away = false; start < wakes.length && !away; start += BATCH) {
    const batch = wakes.slice(start, start + BATCH);
    const report = await waker.signalAll(batch, ({ workflowId }) => payloads.get(workflowId) ?? {});
    const { settled, gone, refused, failed } = report;
    counts.gone += gone.length;
    counts.refused += refused;
    counts.woken += settled.length - gone.length - refused;
    away = failed === batch.length;
    await inbox
      .markWoken(settled)
      .catch((error: unknown) => log.warn({ error: nameOf(error) }, 'wakes not marked; the relay repeats them'));
    await waker.dropGone(gone);
    onProgress?.(start + batch.length);
  }
  return { ...counts, later: wakes.length - counts.woken - counts.gone - counts.refused };
}

function payloadOf({ eventId, event }: ReplayedWake): WakeInput {
  return {
    reason: 'replay',
    eventId: publicEventId(eventId),
    ...(event === '' ? {} : { event: publicEventName(event) }),
  };
}
