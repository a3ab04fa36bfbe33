/**
 * Signals `wake` to flows. Each signal is a hint, so one too many does no harm and a lost one is repeated by the relay.
 * A flow that has ended takes no signal: its waiters are dropped, if it waited in this very namespace. Nothing here rejects.
 */
import { nameOfError } from '../contract/values/index.js';
import type { GoneFlow, Wake } from '../inbox/index.js';
import type { WakeInput } from '../protocol/index.js';
import { judgeSignalError, type SignalEnd } from './judge-signal-error.js';
import { limitInFlight } from './limit-in-flight.js';
import { createMarks } from './marks.js';
import { SIGNAL_WITHIN_MS } from './signal-wake.js';
import type { CountWakes, SignalWake, WakeInbox, WakesLog } from './types.js';
import { within } from './within.js';

/** Concurrent signals of this process, including those of its relay. */
const CONCURRENCY = 16;
/** Signals that have not started by then are left to the relay. */
const BEGIN_WITHIN_MS = 30_000;

export type TemporalState = 'unknown' | 'reachable' | 'away';

interface SignalReport {
  /** Signalled, or never deliverable: not tried again. */
  readonly settled: readonly Wake[];
  /** Flows that have ended; their waiters are still to be dropped. */
  readonly gone: readonly GoneFlow[];
  readonly woken: number;
  /** Temporal refuses the workflow ids for good. */
  readonly refused: number;
  readonly failed: number;
}

export interface Waker {
  /** Signals without changing the inbox. */
  readonly signalAll: Signal;
  readonly dropGone: (gone: readonly GoneFlow[]) => Promise<void>;
  /** Signals, marks the wakes and drops waiters of ended flows. What fails or cannot start in time is left to the relay. */
  readonly deliver: Signal;
  /** Signals right after the cause was committed, with one payload for all; marks the wakes a moment later. */
  readonly wakeNow: (wakes: readonly Wake[], payload: WakeInput, beginWithinMs?: number) => Promise<void>;
  /** Resolves when every `wakeNow` has ended and its wakes are marked; wait for it before the connections are closed. */
  readonly idle: () => Promise<void>;
  readonly temporal: () => TemporalState;
}

type Signal = <W extends Wake>(
  wakes: readonly W[],
  payloadOf: (wake: W) => WakeInput,
  beginWithinMs?: number,
) => Promise<SignalReport>;

export interface WakerDeps {
  readonly inbox: Pick<WakeInbox, 'markWoken' | 'dropWaiters' | 'waitersElsewhere'>;
  readonly signalWake: SignalWake;
  readonly log: WakesLog;
  readonly count: CountWakes;
  /** Receives the time for which a wake was owed until Temporal took its signal, ms. */
  readonly observe?: (latencyMs: number) => void;
  /** Epoch ms; `Date.now`. */
  readonly clock?: () => number;
}

export function createWaker(deps: WakerDeps): Waker {
  const { inbox, log, count, clock = Date.now } = deps;
  const limit = limitInFlight(CONCURRENCY);
  const marks = createMarks(deps);
  const waking = new Set<Promise<void>>();
  let temporal: TemporalState = 'unknown';

  const signalOne = async (wake: Wake, payload: WakeInput): Promise<'woken' | SignalEnd> => {
    try {
      const signalled = deps.signalWake(wake.workflowId, payload);
      if ((await within(SIGNAL_WITHIN_MS, signalled, LATE)) === LATE) throw tookTooLong();
      temporal = 'reachable';
      return 'woken';
    } catch (error) {
      const end = judgeSignalError(error);
      temporal = end === 'failed' ? 'away' : 'reachable';
      // The id of a flow is public by design (no personal data in it); the error's text is not.
      const fields = { workflowId: wake.workflowId, error: nameOfError(error) };
      if (end === 'failed') log.warn(fields, 'wake not delivered; the relay repeats it');
      if (end === 'refused') log.error(fields, 'wake refused by Temporal; given up');
      return end;
    }
  };

  /** Flows that this namespace does not know because they run in another one; all of them if that cannot be read. */
  const flowsElsewhere = async (gone: readonly string[]): Promise<ReadonlySet<string>> => {
    const { namespace } = deps.signalWake;
    if (gone.length === 0 || namespace === undefined || inbox.waitersElsewhere === undefined) return new Set();
    const workflowIds = [...new Set(gone)];
    try {
      const found = await inbox.waitersElsewhere({ workflowIds, namespace });
      if (found.length > 0) {
        log.error({ namespace }, 'flows that wait in another namespace: is TEMPORAL_NAMESPACE that of the workers?');
      }
      return new Set(found);
    } catch (error) {
      log.warn(
        { error: nameOfError(error) },
        'ended flows not distinguished from those of another namespace; the relay tries again',
      );
      return new Set(workflowIds);
    }
  };

  const signalAll: Signal = async (wakes, payloadOf, beginWithinMs = BEGIN_WITHIN_MS) => {
    const askedAtMs = clock();
    const signal = async (wake: (typeof wakes)[number]) => {
      const atMs = clock();
      const end = atMs > askedAtMs + beginWithinMs ? 'failed' : await signalOne(wake, payloadOf(wake));
      if (end === 'woken') deps.observe?.(Math.max(0, clock() - (wake.owedSinceMs ?? askedAtMs)));
      return { wake, end, atMs };
    };
    const ended = await Promise.all(wakes.map((wake) => limit(() => signal(wake))));
    const foreign = await flowsElsewhere(ended.flatMap(({ end, wake }) => (end === 'gone' ? [wake.workflowId] : [])));
    const isForeign = ({ end, wake }: (typeof ended)[number]): boolean =>
      end === 'gone' && foreign.has(wake.workflowId);
    const ends = ended.map((each) => (isForeign(each) ? { ...each, end: 'failed' as const } : each));
    const countOf = (end: 'woken' | SignalEnd): number => ends.filter((each) => each.end === end).length;
    if (countOf('gone') > 0) count('late', countOf('gone'));
    return {
      settled: ends.flatMap(({ end, wake }) => (end === 'failed' ? [] : [wake])),
      gone: ends.flatMap(({ end, wake: { workflowId }, atMs }) =>
        end === 'gone' ? [{ workflowId, goneAtMs: atMs }] : [],
      ),
      woken: countOf('woken'),
      refused: countOf('refused'),
      failed: countOf('failed'),
    };
  };

  const dropGone: Waker['dropGone'] = async (gone) => {
    for (const flow of new Map(gone.map((each) => [each.workflowId, each])).values()) {
      const { workflowId } = flow;
      try {
        await inbox.dropWaiters(flow);
      } catch (error) {
        // They expire with time; the next event for them tries again.
        log.warn({ workflowId, error: nameOfError(error) }, 'waiters of an ended flow not dropped');
      }
    }
  };

  const signalAndCount: Signal = async (wakes, payloadOf, beginWithinMs) => {
    const report = await signalAll(wakes, payloadOf, beginWithinMs);
    count('woken', report.woken);
    if (report.failed > 0) count('failed', report.failed);
    return report;
  };

  return {
    signalAll,
    dropGone,
    deliver: async (wakes, payloadOf) => {
      const report = await signalAndCount(wakes, payloadOf);
      await marks.now(report.settled);
      await dropGone(report.gone);
      return report;
    },
    wakeNow: async (wakes, payload, beginWithinMs) => {
      if (wakes.length === 0) return;
      const signal = async (): Promise<void> => {
        const { settled, gone } = await signalAndCount(wakes, () => payload, beginWithinMs);
        marks.soon(settled);
        await dropGone(gone);
      };
      const done = signal().finally(() => waking.delete(done));
      waking.add(done);
      await done;
    },
    idle: async () => {
      await Promise.all(waking);
      await marks.idle();
    },
    temporal: () => temporal,
  };
}

const LATE = Symbol('late');

function tookTooLong(): Error {
  return Object.assign(new Error('tramita: no answer in time'), { name: 'TimeoutError' });
}
