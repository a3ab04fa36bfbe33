/**
 * Counters and latencies of what this process does: charged calls, polls, held calls, wakes, writes to its own disk. Labels come
 * from fixed lists, from the catalogue of operations and from configured accounts: their number is bounded, and nothing personal
 * is among them. Figures of the whole installation are in `metrics.ts`.
 */
import { Counter, Histogram, Registry } from 'prom-client';
import type { Activities, LookAtWork } from '../activities/index.js';
import type { Journal, Spool } from '../ledger/index.js';
import type {
  AwaitFinalInput,
  AwaitFinalResult,
  CallOutcome,
  ChargedActivity,
  ChargedCallResult,
} from '../protocol/index.js';
import type { CountWakes } from '../wakes/index.js';
import { eachCharged } from './each-charged.js';

export interface CallMetrics {
  /** The same activities, counted and timed. */
  readonly observed: (activities: Activities) => Activities;
  readonly observedLook: (look: LookAtWork) => LookAtWork;
  readonly journal: (journal: Journal) => Journal;
  readonly spool: (spool: Spool) => Spool;
  readonly countWakes: CountWakes;
  /** Milliseconds from when a wake was owed until Temporal has accepted its signal. */
  readonly observeWake: (latencyMs: number) => void;
  readonly text: () => Promise<string>;
}

/** A call may take 45 s, a file 10 minutes. */
const CALL_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 35, 45, 120, 600];
const WAKE_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800];
const DISK_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

type PollEnd = AwaitFinalResult['kind'] | 'not yet' | 'failed';

export function createCallMetrics(accounts: readonly string[]): CallMetrics {
  const registry = new Registry();
  const registers = [registry];
  const calls = new Counter({
    name: 'tramita_calls_total',
    help: 'Charged operations that were called, by outcome. "reused": an existing answer was used; nothing was sent.',
    labelNames: ['account', 'operation', 'outcome'] as const,
    registers,
  });
  const callSeconds = new Histogram({
    name: 'tramita_call_duration_seconds',
    help: 'Calls that were sent, from intent to settlement.',
    labelNames: ['operation', 'outcome'] as const,
    buckets: CALL_SECONDS,
    registers,
  });
  const held = new Counter({
    name: 'tramita_calls_held_total',
    help: 'Times that a call was not sent because something held it, by what.',
    labelNames: ['account', 'because'] as const,
    registers,
  });
  const polls = new Counter({
    name: 'tramita_polls_total',
    help: 'Polls of pending work, by how they ended.',
    labelNames: ['account', 'operation', 'end'] as const,
    registers,
  });
  const wakes = new Counter({
    name: 'tramita_wakes_total',
    help: 'Signals to flows that wait for rows of this worker, and rounds of its relay that failed, by how they ended.',
    labelNames: ['end'] as const,
    registers,
  });
  const wakeSeconds = new Histogram({
    name: 'tramita_wake_seconds',
    help: 'Time from the settlement, or the event, that owes a wake until Temporal has accepted its signal.',
    buckets: WAKE_SECONDS,
    registers,
  });
  const diskSeconds = new Histogram({
    name: 'tramita_disk_write_seconds',
    help: 'Time until a line of the journal, or an answer in the spool, is on the disk.',
    labelNames: ['what'] as const,
    buckets: DISK_SECONDS,
    registers,
  });
  const diskErrors = new Counter({
    name: 'tramita_disk_errors_total',
    help: 'Lines of the journal, or answers of the spool, that could not be written.',
    labelNames: ['what'] as const,
    registers,
  });
  for (const what of ['journal', 'spool']) diskErrors.inc({ what }, 0);

  const accountOf = (account: string): string => (accounts.includes(account) ? account : 'not configured');
  const timed = async <T>(what: 'journal' | 'spool', write: Promise<T>): Promise<T> => {
    const stop = diskSeconds.startTimer({ what });
    try {
      return await write;
    } catch (error) {
      diskErrors.inc({ what });
      throw error;
    } finally {
      stop();
    }
  };

  const charged =
    (call: ChargedActivity, operation: string): ChargedActivity =>
    async (input) => {
      const startedMs = performance.now();
      const result = await call(input);
      const account = accountOf(input.account);
      const outcome = endOf(result);
      if (result.outcome === 'HELD') held.inc({ account, because: result.because });
      else calls.inc({ account, operation, outcome });
      if (isSent(result)) callSeconds.observe({ operation, outcome }, (performance.now() - startedMs) / 1_000);
      return result;
    };
  const polled =
    <Asker extends readonly unknown[]>(look: (input: AwaitFinalInput, ...asker: Asker) => Promise<AwaitFinalResult>) =>
    async (input: AwaitFinalInput, ...asker: Asker): Promise<AwaitFinalResult> => {
      const count = (end: PollEnd): void => {
        polls.inc({ account: accountOf(input.account), operation: input.operation, end });
      };
      try {
        const result = await look(input, ...asker);
        count(result.kind);
        return result;
      } catch (error) {
        count((error as { readonly type?: unknown } | null)?.type === 'NotYet' ? 'not yet' : 'failed');
        throw error;
      }
    };

  return {
    observed: (activities) => ({
      charged: eachCharged(activities.charged, charged),
      free: { ...activities.free, awaitFinal: polled((input) => activities.free.awaitFinal(input)) },
    }),
    observedLook: (look) => polled(look),
    journal: (journal) => ({ ...journal, append: (entry) => timed('journal', journal.append(entry)) }),
    spool: (spool) => ({ ...spool, write: (...given) => timed('spool', spool.write(...given)) }),
    countWakes: (end, by) => wakes.inc({ end }, by),
    observeWake: (latencyMs) => wakeSeconds.observe(latencyMs / 1_000),
    text: () => registry.metrics(),
  };
}

function isSent(result: ChargedCallResult): result is CallOutcome {
  return result.outcome !== 'HELD' && result.outcome !== 'REFUSED' && !result.reused;
}

/** The label for an outcome, spelt like the states of the ledger. */
function endOf(result: ChargedCallResult): string {
  return result.outcome !== 'HELD' && result.outcome !== 'REFUSED' && result.reused
    ? 'reused'
    : result.outcome.toLowerCase();
}
