/**
 * Signals `wake` to flows. Each signal is a hint, so one too many does no harm and a lost one is repeated by the relay.
 * A flow that has ended takes no signal: its waiters are dropped. Nothing here rejects.
 */
import type { GoneFlow, Wake } from '../inbox/index.js';
import type { WakeInput } from '../protocol/index.js';
import type { Metrics } from './metrics.js';
import type { BridgeInbox, BridgeLog, SignalWake } from './types.js';

/** Signals at the same time from one delivery or one round of the relay. */
const CONCURRENCY = 16;
const SIGNAL_WITHIN_MS = 10_000;

const GRPC_INVALID_ARGUMENT = 3;
const GRPC_NOT_FOUND = 5;

export type TemporalState = 'unknown' | 'reachable' | 'away';

export interface SignalReport {
  /** Signalled, or can never be: not to be tried again. */
  readonly settled: readonly Wake[];
  /** Flows that have ended; their waiters are still to be dropped. */
  readonly gone: readonly GoneFlow[];
  /** Of the settled ones: Temporal refuses them for ever, and nobody was woken. */
  readonly refused: number;
  readonly failed: number;
}

export interface Waker {
  /** Signals, and touches the inbox in no way: the relay calls it inside a transaction that holds these very rows. */
  readonly signalAll: (wakes: readonly Wake[], payloadOf: (wake: Wake) => WakeInput) => Promise<SignalReport>;
  readonly dropGone: (gone: readonly GoneFlow[]) => Promise<void>;
  /** For right after an answer: signals, marks, drops. What fails is left to the relay. */
  readonly wakeNow: (wakes: readonly Wake[], payload: WakeInput) => Promise<void>;
  readonly temporal: () => TemporalState;
}

export function createWaker(deps: {
  readonly inbox: Pick<BridgeInbox, 'markWoken' | 'dropWaiters'>;
  readonly signalWake: SignalWake;
  readonly log: BridgeLog;
  readonly metrics: Metrics;
  /** Epoch ms; `Date.now`. */
  readonly clock?: () => number;
  /** 10,000; for tests. */
  readonly signalWithinMs?: number;
}): Waker {
  const { inbox, log, metrics, clock = Date.now } = deps;
  let temporal: TemporalState = 'unknown';

  const signalOne = async (wake: Wake, payload: WakeInput): Promise<'signalled' | 'gone' | 'refused' | 'failed'> => {
    try {
      await within(deps.signalWithinMs ?? SIGNAL_WITHIN_MS, () => deps.signalWake(wake.workflowId, payload));
      temporal = 'reachable';
      return 'signalled';
    } catch (error) {
      const kind = classify(error);
      temporal = kind === 'failed' ? 'away' : 'reachable';
      // The id of a flow is public by design (no personal data in it); the error's text is not.
      if (kind === 'failed')
        log.warn({ workflowId: wake.workflowId, error: nameOf(error) }, 'wake not delivered; the relay repeats it');
      if (kind === 'refused')
        log.error({ workflowId: wake.workflowId, error: nameOf(error) }, 'wake refused by Temporal; given up');
      return kind;
    }
  };

  const signalAll: Waker['signalAll'] = async (wakes, payloadOf) => {
    const settled: Wake[] = [];
    const gone: GoneFlow[] = [];
    let refused = 0;
    let failed = 0;
    const queue = [...wakes];
    const work = async (): Promise<void> => {
      for (let wake = queue.shift(); wake !== undefined; wake = queue.shift()) {
        const goneAtMs = clock();
        const result = await signalOne(wake, payloadOf(wake));
        if (result === 'failed') failed += 1;
        else settled.push(wake);
        if (result === 'refused') refused += 1;
        if (result === 'gone') gone.push({ workflowId: wake.workflowId, goneAtMs });
      }
    };
    await Promise.all(Array.from({ length: Math.min(CONCURRENCY, wakes.length) }, work));
    if (gone.length > 0) metrics.count('late', {}, gone.length);
    return { settled, gone, refused, failed };
  };

  const dropGone: Waker['dropGone'] = async (gone) => {
    for (const flow of new Map(gone.map((each) => [each.workflowId, each])).values()) {
      const { workflowId } = flow;
      try {
        await inbox.dropWaiters(flow);
      } catch (error) {
        // They expire with time; the next event for them tries again.
        log.warn({ workflowId, error: nameOf(error) }, 'waiters of an ended flow not dropped');
      }
    }
  };

  return {
    signalAll,
    dropGone,
    wakeNow: async (wakes, payload) => {
      if (wakes.length === 0) return;
      const report = await signalAll(wakes, () => payload);
      metrics.count('woken', {}, report.settled.length - report.gone.length - report.refused);
      if (report.failed > 0) metrics.count('failed', {}, report.failed);
      try {
        await inbox.markWoken(report.settled);
      } catch (error) {
        log.warn({ error: nameOf(error) }, 'wakes not marked; the relay repeats them');
      }
      await dropGone(report.gone);
    },
    temporal: () => temporal,
  };
}

/** By name and gRPC code, never by class: the error may come from another copy of the library. */
function classify(error: unknown): 'gone' | 'refused' | 'failed' {
  const { name, code, cause } = (error ?? {}) as {
    readonly name?: unknown;
    readonly code?: unknown;
    readonly cause?: { readonly code?: unknown } | undefined;
  };
  const codes = [code, cause?.code];
  if (name === 'WorkflowNotFoundError' || codes.includes(GRPC_NOT_FOUND)) return 'gone';
  return codes.includes(GRPC_INVALID_ARGUMENT) ? 'refused' : 'failed';
}

export function nameOf(error: unknown): string {
  const name = (error as { readonly name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' ? name : 'unknown error';
}

async function within(ms: number, run: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(Object.assign(new Error('tramita: no answer in time'), { name: 'TimeoutError' })),
      ms,
    );
  });
  try {
    await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}
