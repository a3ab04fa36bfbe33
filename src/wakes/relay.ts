/**
 * Delivers the wakes that are still owed: after a crash between commit and signal, or while Temporal was away. Several
 * bridges and workers may run it at once (the inbox hands each row to one of them). Bounded back-off while it fails; stops
 * after the round it is in.
 */
import { present } from '../contract/index.js';
import { nameOfError } from '../contract/values/index.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WakeInput } from '../protocol/index.js';
import { publicEventId, publicEventName, type Wake } from '../inbox/index.js';
import type { CountWakes, WakeInbox, WakesLog } from './types.js';
import type { Waker } from './waker.js';

export interface RelaySettings {
  /** Pause between rounds while there is nothing to do; 2,000. */
  readonly pauseMs?: number;
  /** Longest pause while it fails; 30,000. */
  readonly maxPauseMs?: number;
  /** Younger wakes belong to the process that has just caused them; 15,000, above the time one signal may take. */
  readonly olderThanMs?: number;
  /** Wakes per round; 64: with 16 at once and 10 s each a round stays under the minute that the inbox allows. */
  readonly limit?: number;
}

export interface Relay {
  /** Resolves when the running round has ended. */
  readonly stop: () => Promise<void>;
}

export function startRelay(
  deps: {
    readonly inbox: Pick<WakeInbox, 'takeUnwoken'>;
    readonly waker: Pick<Waker, 'signalAll' | 'dropGone'>;
    readonly log: Pick<WakesLog, 'warn'>;
    readonly count: CountWakes;
  },
  settings: RelaySettings = {},
): Relay {
  const { pauseMs = 2_000, maxPauseMs = 30_000, olderThanMs = 15_000, limit = 64 } = settings;
  const stopping = new AbortController();

  const loop = async (): Promise<void> => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const round = await runRound(deps, { limit, olderThanMs });
      failures = round === 'failed' ? failures + 1 : 0;
      if (round === 'more') continue;
      const pause = Math.min(maxPauseMs, pauseMs * 2 ** Math.min(failures, 10));
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = loop();
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

async function runRound(
  deps: Parameters<typeof startRelay>[0],
  options: { readonly limit: number; readonly olderThanMs: number },
): Promise<'idle' | 'more' | 'failed'> {
  let failed = 0;
  try {
    const marked = await deps.inbox.takeUnwoken(options, async (wakes) => {
      const report = await deps.waker.signalAll(wakes, payloadOf);
      failed = report.failed;
      await deps.waker.dropGone(report.gone);
      return report.settled;
    });
    deps.count('relayed', marked);
    if (failed > 0) return 'failed';
    return marked === options.limit ? 'more' : 'idle';
  } catch (error) {
    deps.count('relay_error', 1);
    deps.log.warn({ error: nameOfError(error) }, 'relay round failed; it is tried again');
    return 'failed';
  }
}

/** Event keys are `<account>/<event id>`; other keys name a ledger row and have no event to name. */
function payloadOf(wake: Wake): WakeInput {
  const slash = wake.eventKey.indexOf('/');
  const eventId = slash < 0 ? undefined : publicEventId(wake.eventKey.slice(slash + 1));
  const event = wake.event ? publicEventName(wake.event) : undefined;
  return { reason: 'relay', ...present({ eventId, event }) };
}
