/** An incoming event, and the result of recording it. Times are epoch ms of our clock. */

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
  /** Waiter keys of everything that the event names. News wakes flows by its request ids only. */
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
  /** Since when it is owed, epoch ms, as it is stored; absent where it was not read. */
  readonly owedSinceMs?: number;
  /** Name of the event that caused it, as sent; null: no stored event did. Only owed wakes from the inbox have it. */
  readonly event?: string | null;
}

export interface Recorded {
  /** The very same event was recorded before; nothing was written. */
  readonly duplicate: boolean;
  /** The id was known with another body: stored as an event of its own. */
  readonly conflict: boolean;
  /** Flows to signal after the answer; empty for duplicates and for events that no flow waits for. */
  readonly wakes: readonly Wake[];
}
