/**
 * The state of one sandbox between two resets: clock, charge book, work, monitors, request log, armed faults, webhooks.
 * Every change of state that involves money is here, or in `monitor-life.ts` and `work-life.ts`; other files read and
 * answer.
 */
import { setMaxListeners } from 'node:events';
import { ZERO_AMOUNT, present } from '../src/contract/index.js';
import type { Answer } from './answer.js';
import { createClock, type SandboxClock } from './clock.js';
import { createFaultBoard, type FaultBoard } from './faults/fault-board.js';
import { createMonitorLife } from './monitors/monitor-life.js';
import type { Effect } from './operations/types.js';
import { createPlanted, type Planted } from './planted.js';
import type { Settings } from './settings.js';
import { createChargeBook, type ChargeBook, type ChargeFacts } from './state/charge-book.js';
import type { Journal } from './state/journal.js';
import { createMonitors, type Monitors } from './state/monitors.js';
import { createRateLimits, type RateLimits } from './state/rate-limits.js';
import { createRequestLog, type RequestLog } from './state/request-log.js';
import { restoreKept, type Kept } from './state/restore.js';
import { createWorks, type Work, type Works } from './state/works.js';
import { coverageEvent } from './webhooks/build-event.js';
import { createWebhookSender, type WebhookSender } from './webhooks/webhook-sender.js';
import { createWorkLife, finalLine } from './work-life.js';

/** Upper bound of the answers that are delayed at the same time. */
const MOST_DELAYED = 10_000;

export interface Origins {
  readonly apiUrl: string;
  readonly documentsUrl: string;
}

export interface World {
  readonly settings: Settings;
  readonly origins: Origins;
  readonly clock: SandboxClock;
  readonly startedAtMs: number;
  readonly book: ChargeBook;
  readonly works: Works;
  readonly monitors: Monitors;
  /** Lawyer → when the coverage of the list began to grow. */
  readonly coverage: ReadonlyMap<string, number>;
  readonly rates: RateLimits;
  readonly requests: RequestLog;
  readonly faults: FaultBoard;
  /** Text of the tester's choice in the answers. */
  readonly planted: Planted;
  readonly webhooks: WebhookSender;
  /** Aborted when this world ends; answers that hang or drip end with it. */
  readonly ended: AbortSignal;
  /** Writes a charge with its effects; returns its number. */
  charge(facts: ChargeFacts, effects?: readonly Effect[]): number;
  /** Applies changes of state that cost nothing. */
  apply(effects: readonly Effect[]): void;
  /** Records the work, with its charge unless the debit comes at completion, and starts it. */
  beginWork(
    work: Work,
    with_: { readonly facts?: ChargeFacts; readonly final?: Answer; readonly effects: readonly Effect[] },
  ): { readonly charge: number | null; readonly begun?: Promise<void> };
  end(): void;
}

export function createWorld(deps: {
  readonly settings: Settings;
  readonly origins: Origins;
  readonly journal: Journal;
  readonly kept: Kept;
}): World {
  const { settings, origins, journal, kept } = deps;
  const ending = new AbortController();
  // One listener for every delayed answer; above ten, Node warns of a leak.
  setMaxListeners(MOST_DELAYED, ending.signal);
  const clock = createClock();
  const startedAtMs = clock.nowMs();
  const book = createChargeBook({
    journal,
    nowMs: () => clock.nowMs(),
    kept: kept.charges,
    firstNumber: kept.firstNumber,
    openings: { sandbox: settings.openingBalance, empty: ZERO_AMOUNT },
    readBack: () => restoreKept(journal.read()).charges,
  });
  const works = createWorks();
  const monitors = createMonitors(kept.monitors);
  const coverage = new Map(kept.coverage);
  const webhooks = createWebhookSender({ settings, clock, ended: ending.signal });

  const source = { settings, origins, clock, startedAtMs, book, works, monitors, coverage };
  const monitorLife = createMonitorLife({ settings, clock, monitors, book, journal, webhooks });
  const workLife = createWorkLife({ ...source, webhooks });

  const linesOf = (effects: readonly Effect[]): object[] =>
    effects.map((effect) => (effect.kind === 'monitor' ? { ...effect.monitor, kind: 'monitor' } : effect));
  const applyInMemory = (effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.kind === 'monitor') {
        monitors.put(effect.monitor);
        monitorLife.follow(effect.monitor);
      } else {
        coverage.set(effect.oab, effect.startedAtMs);
        const event = coverageEvent(effect.oab, effect.startedAtMs + settings.coverageMs);
        if (effect.callback) clock.at(event.createdAtMs, () => webhooks.announce(event));
      }
    }
  };

  const world: World = {
    ...source,
    rates: createRateLimits(),
    requests: createRequestLog(settings.requestLogSize),
    faults: createFaultBoard(),
    planted: createPlanted(),
    webhooks,
    ended: ending.signal,
    charge(facts, effects = []) {
      const n = book.charge(facts, linesOf(effects));
      applyInMemory(effects);
      return n;
    },
    apply(effects) {
      if (effects.length === 0) return;
      journal.append(linesOf(effects), { durable: true });
      applyInMemory(effects);
    },
    beginWork(work, { facts, final, effects }) {
      const lines = [
        { kind: 'work', ...work },
        ...(final === undefined ? [] : [finalLine(work, final)]),
        ...linesOf(effects),
      ];
      if (final !== undefined) works.keepFinal(work.requestId, final);
      const n = facts === undefined ? null : book.charge(facts, lines);
      if (facts === undefined) journal.append(lines, { durable: true });
      applyInMemory(effects);
      const begun = workLife.run(work);
      return { charge: n, ...present({ begun }) };
    },
    end() {
      clock.stop();
      ending.abort();
    },
  };

  for (const [requestId, final] of kept.finals) works.keepFinal(requestId, final);
  kept.works.forEach(workLife.resume);
  kept.monitors.forEach(monitorLife.follow);
  return world;
}
