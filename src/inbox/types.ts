/** Words of the inbox. Times are epoch ms of our clock. */
import type { EventAbout } from './events-about.js';
import type { ReplaySelection } from './replay.js';

export interface IncomingEvent {
  /** Account of the address that the event was posted to. */
  readonly account: string;
  /** The signed body's own id, else the SHA-256 of its bytes. */
  readonly eventId: string;
  /** Event name as sent. */
  readonly event: string;
  /** Hex SHA-256 of `body`. */
  readonly bodySha256: string;
  readonly body: Buffer;
  /** Waiter keys of everything that it names; news wakes by its request ids only. */
  readonly keys: readonly string[];
  /** As the sender wrote it. */
  readonly createdAt?: string;
  /** The unsigned delivery header; kept for the log. */
  readonly deliveryId?: string;
}

/** One flow to be signalled because of one event or one settlement. */
export interface Wake {
  readonly eventKey: string;
  readonly workflowId: string;
}

export interface Recorded {
  /** The very same event was recorded before; nothing was written. */
  readonly duplicate: boolean;
  /** The id was known with another body: stored as an event of its own. */
  readonly conflict: boolean;
  /** Flows to signal after the answer; empty for duplicates and for events that nobody waits for. */
  readonly wakes: readonly Wake[];
}

export interface InboxEvent {
  /** Cursor: pass the last one to get what came after it. */
  readonly seq: number;
  readonly account: string;
  readonly eventId: string;
  readonly event: string;
  readonly bodySha256: string;
  /** Holds personal data: for consumers in the same trust zone, never for a history or a log. Null: not asked for, or dropped. */
  readonly body: Buffer | null;
  /** The body was older than bodies are kept. */
  readonly bodyDropped: boolean;
  readonly conflict: boolean;
  /** Waiter keys of what it names; they may name a person. Empty once the body was dropped. */
  readonly keys: readonly string[];
  readonly createdAt: string | null;
  readonly receivedAtMs: number;
}

/** All that is given must hold. */
export interface EventFilter {
  readonly account?: string;
  /** Names as sent; any of them. */
  readonly events?: readonly string[];
  /** Event ids as sent; any of them. */
  readonly ids?: readonly string[];
  /** True: only events whose id was known with another body. */
  readonly conflicts?: boolean;
  /** Received from then on. */
  readonly fromMs?: number;
  /** Received before. */
  readonly beforeMs?: number;
}

export interface FeedRequest {
  /** Cursor of the page before; absent or 0: from the very first event. */
  readonly after?: number;
  /** At most so many events; at most 1,000. */
  readonly limit: number;
  readonly filter?: EventFilter;
  /** False: without bodies; true. */
  readonly bodies?: boolean;
  /** True: the last ones instead of the first ones, oldest first all the same; false. */
  readonly newest?: boolean;
}

export interface EventPage {
  /** Oldest first. */
  readonly events: readonly InboxEvent[];
  /** Goes on behind this page, and behind everything that did not match. No event appears behind it later. */
  readonly cursor: number;
  /** The page is full: there may be more right now. */
  readonly more: boolean;
}

/** A flow that a stored event would wake. */
export interface ReplayedWake extends Wake {
  readonly eventId: string;
  readonly event: string;
  readonly seq: number;
}

export interface Replay {
  /** Events that were meant. */
  readonly events: number;
  /** Those of them without any key: they name nothing, or what they named was dropped with the body. */
  readonly withoutKeys: number;
  /** One for each flow that waits, of the newest event about it. */
  readonly wakes: readonly ReplayedWake[];
}

/** A wait that ended without the webhook that was expected. */
export interface MissedWait {
  readonly intentId: string;
  readonly account: string;
  readonly workflowId: string;
  readonly operation: string;
  readonly requestId: string | null;
  readonly openedAtMs: number;
  readonly settledAtMs: number;
  /** How long after the end an event about it came; null: none has come. */
  readonly lateMs: number | null;
}

export interface MissedEvents {
  /** Waits that ended in the time asked about and expected a webhook. */
  readonly expected: number;
  /** Those that ended without one. */
  readonly missed: number;
  /** Those of the missed ones whose webhook came afterwards. */
  readonly late: number;
  /** The missed ones, newest first, at most 500. */
  readonly waits: readonly MissedWait[];
}

export interface GoneFlow {
  readonly workflowId: string;
  /** When it was asked for and was not there, epoch ms. */
  readonly goneAtMs: number;
}

/** Events of the service's webhooks: stored once, matched with the flows that wait for them, read with a cursor. */
export interface Inbox {
  /** One transaction; the event may be acknowledged when this returns. Throws when the database is away. */
  record(event: IncomingEvent): Promise<Recorded>;
  /** Notes that these flows were signalled (or are gone). */
  markWoken(wakes: readonly Wake[]): Promise<void>;
  /**
   * Hands wakes that are older than `olderThanMs` and not marked to `signal`, in a transaction that keeps other bridges
   * away from them, and marks those that it returns. Returns how many were marked. A crash in between only repeats
   * signals. `signal` must return within a minute.
   */
  takeUnwoken(
    options: { readonly limit: number; readonly olderThanMs: number },
    signal: (wakes: readonly Wake[]) => Promise<readonly Wake[]>,
  ): Promise<number>;
  /** Removes the waiters of a flow that had ended at that instant, and its open wakes; younger ones may be another run's. */
  dropWaiters(gone: GoneFlow): Promise<void>;
  /** Those of the flows that wait in another Temporal namespace than this one. */
  waitersElsewhere(asked: {
    readonly workflowIds: readonly string[];
    readonly namespace: string;
  }): Promise<readonly string[]>;
  /** A worker of this namespace runs: flows that begin to wait are taken to be in it. */
  noteNamespace(namespace: string): Promise<void>;
  /** Removes waiters whose time is over; returns how many. */
  dropExpiredWaiters(): Promise<number>;
  /** Events about these keys wake the flow from now on; one that is there already lives on. */
  waitFor(wait: {
    readonly workflowId: string;
    readonly intentId: string;
    readonly keys: readonly string[];
  }): Promise<void>;
  /** Events that answer to any of the keys since an instant, newest first: of news only what carries the request id. */
  eventsAbout(asked: {
    readonly keys: readonly string[];
    readonly sinceMs: number;
    readonly limit: number;
  }): Promise<readonly EventAbout[]>;
  /** Events after the cursor, oldest first. An event never appears behind a cursor that was already given out. */
  listEvents(options: { readonly after?: number; readonly limit: number }): Promise<readonly InboxEvent[]>;
  /** The same with filters, and with a cursor that moves although nothing matches. */
  readFeed(request: FeedRequest): Promise<EventPage>;
  /** Which flows of now stored events would wake. Writes nothing. */
  findReplay(selection: ReplaySelection): Promise<Replay>;
  /** Owes those wakes again; they are still to be signalled, else the relay does it. */
  oweReplay(selection: ReplaySelection): Promise<readonly ReplayedWake[]>;
  /** Waits since an instant, at most 30 days ago, that ended without the webhook that was expected. */
  findMissedEvents(asked: { readonly sinceMs: number; readonly account?: string }): Promise<MissedEvents>;
  /** True where the last webhooks that the account expected did not come (three, or one where none was ever delivered). */
  areWebhooksSilent(account: string): Promise<boolean>;
  /**
   * Forgets wakes delivered more than 30 days ago and, where `eventBodiesMs` is given, bodies and keys of older events. The
   * ids of events stay forever. Returns how many rows were touched.
   */
  forgetOld(kept: { readonly eventBodiesMs?: number }): Promise<{ readonly wakes: number; readonly bodies: number }>;
}
