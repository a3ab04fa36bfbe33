/** Words of the inbox. Times are epoch ms of our clock. */
import type { EventAbout } from './events-about.js';

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
  /** Waiter keys that this event answers to. */
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
  /** Holds personal data: for consumers in the same trust zone, never for a history or a log. */
  readonly body: Buffer;
  readonly conflict: boolean;
  readonly createdAt: string | null;
  readonly receivedAtMs: number;
}

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
  /** Removes all waiters of a flow that has ended, and its open wakes. */
  dropWaiters(workflowId: string): Promise<void>;
  /** Removes waiters whose time is over; returns how many. */
  dropExpiredWaiters(): Promise<number>;
  /** Events about these keys wake the flow from now on; one that is there already lives on. */
  waitFor(wait: {
    readonly workflowId: string;
    readonly intentId: string;
    readonly keys: readonly string[];
  }): Promise<void>;
  /** Events about any of the keys since an instant, newest first. */
  eventsAbout(asked: {
    readonly keys: readonly string[];
    readonly sinceMs: number;
    readonly limit: number;
  }): Promise<readonly EventAbout[]>;
  /** Events after the cursor, oldest first. An event never appears behind a cursor that was already given out. */
  listEvents(options: { readonly after?: number; readonly limit: number }): Promise<readonly InboxEvent[]>;
}
