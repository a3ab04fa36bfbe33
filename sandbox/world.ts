/**
 * The state of one sandbox between two resets: clock, charge book, refreshes, request log, armed faults, webhooks. All
 * changes of state that involve money or the end of a refresh are here; reading and answering are elsewhere.
 */
import { randomUUID } from 'node:crypto';
import { operationOf, ZERO_AMOUNT, type Amount } from '../src/contract/index.js';
import type { Paid } from './answer.js';
import { createClock, type SandboxClock } from './clock.js';
import { sha256Hex } from './derive.js';
import { createFaultBoard, type FaultBoard } from './faults/fault-board.js';
import { buildFinalAnswer } from './operations/refresh-record.js';
import type { OperationCall } from './operations/types.js';
import type { Settings } from './settings.js';
import { createChargeBook, paidOf, type ChargeBook } from './state/charge-book.js';
import type { Journal } from './state/journal.js';
import { createRefreshes, type Refresh, type Refreshes } from './state/refreshes.js';
import { createRequestLog, type RequestLog } from './state/request-log.js';
import type { Kept } from './state/restore.js';
import { completionEvent } from './webhooks/build-event.js';
import { createWebhookSender, type WebhookSender } from './webhooks/webhook-sender.js';

export interface Origins {
  readonly apiUrl: string;
  readonly documentsUrl: string;
}

export interface ChargeFacts {
  readonly call: Pick<OperationCall, 'operation' | 'account' | 'keyHash'>;
  readonly cnj: string;
  readonly paid: Paid;
  readonly requestId: string | null;
  readonly bodySha256: string | null;
  readonly connection: number | null;
}

export interface World {
  readonly settings: Settings;
  readonly origins: Origins;
  readonly clock: SandboxClock;
  readonly startedAtMs: number;
  readonly book: ChargeBook;
  readonly refreshes: Refreshes;
  readonly requests: RequestLog;
  readonly faults: FaultBoard;
  readonly webhooks: WebhookSender;
  /** Aborted when this world ends; whatever hangs or drips ends with it. */
  readonly ended: AbortSignal;
  /** Writes a charge; returns its number. */
  charge(facts: ChargeFacts): number;
  /** Records the refresh, with its charge unless the debit comes at completion, and lets it run. */
  beginRefresh(
    refresh: Refresh,
    facts?: ChargeFacts,
  ): { readonly charge: number | null; readonly begun?: Promise<void> };
  paidFor(refresh: Refresh): Paid | undefined;
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
  const clock = createClock();
  const book = createChargeBook({
    journal,
    kept: kept.charges,
    firstNumber: kept.firstNumber,
    openings: { sandbox: settings.openingBalance, empty: ZERO_AMOUNT },
  });
  const refreshes = createRefreshes();
  const webhooks = createWebhookSender({ settings, clock, ended: ending.signal });

  const charge = (facts: ChargeFacts, beside?: object): number => {
    const n = book.nextNumber();
    book.charge(
      {
        n,
        at: new Date(clock.nowMs()).toISOString(),
        operation: facts.call.operation.id,
        account: facts.call.account,
        keyHash: facts.call.keyHash,
        subject: { cnj: facts.cnj },
        amount: facts.paid.charged,
        balanceAfter: facts.paid.balanceAfter,
        requestId: facts.requestId,
        metaRequestId: facts.paid.metaRequestId,
        searchLogId: facts.paid.searchLogId ?? '',
        bodySha256: facts.bodySha256,
        connection: facts.connection,
        flushed: null,
      },
      beside,
    );
    return n;
  };

  const paidFor = (refresh: Refresh): Paid | undefined => {
    const row = book.chargeOf(refresh.requestId);
    return row === undefined ? undefined : paidOf(row);
  };

  const finish = (refresh: Refresh): void => {
    if (refresh.debitAt === 'completion' && paidFor(refresh) === undefined) debitAtCompletion(refresh);
    refreshes.markFinished(refresh);
  };

  const debitAtCompletion = (refresh: Refresh): void => {
    const paid: Paid = {
      charged: refresh.price,
      balanceAfter: (book.balance(refresh.account) - refresh.price) as Amount,
      metaRequestId: randomUUID(),
      searchLogId: randomUUID(),
    };
    const final = buildFinalAnswer(refresh, settings.dialect, paid);
    charge({
      call: { operation: operationOf('requestRefresh'), account: refresh.account, keyHash: refresh.keyHash },
      cnj: refresh.cnj,
      paid,
      requestId: refresh.requestId,
      bodySha256: final === undefined ? null : sha256Hex(final.body),
      connection: null,
    });
  };

  /** Resolves when every first attempt is over. */
  const announce = async (refresh: Refresh): Promise<void> => {
    if (!refresh.flags.callback || refresh.webhook === 'lost') return;
    const event = completionEvent(refresh);
    await webhooks.announce(event);
    if (refresh.webhook === 'twice') await webhooks.announce(event);
  };

  const run = (refresh: Refresh): Promise<void> | undefined => {
    refreshes.add(refresh);
    const { finishesAtMs } = refresh;
    if (finishesAtMs === null) return undefined;
    if (refresh.webhook === 'early') {
      finish(refresh);
      return announce(refresh);
    }
    clock.at(finishesAtMs, () => {
      finish(refresh);
      void announce(refresh);
    });
    return undefined;
  };

  const startedAtMs = clock.nowMs();
  for (const refresh of kept.refreshes) {
    // Ended before the restart: its webhook was that process's business.
    if (refresh.finishesAtMs !== null && refresh.finishesAtMs <= startedAtMs) {
      refreshes.add(refresh);
      finish(refresh);
    } else void run(refresh);
  }

  return {
    settings,
    origins,
    clock,
    startedAtMs,
    book,
    refreshes,
    requests: createRequestLog(),
    faults: createFaultBoard(),
    webhooks,
    ended: ending.signal,
    charge,
    beginRefresh(refresh, facts) {
      const line = { kind: 'refresh', ...refresh };
      const n = facts === undefined ? null : charge(facts, line);
      if (facts === undefined) journal.append([line], { durable: true });
      const begun = run(refresh);
      return { charge: n, ...(begun === undefined ? {} : { begun }) };
    },
    paidFor,
    end() {
      clock.stop();
      ending.abort();
    },
  };
}
