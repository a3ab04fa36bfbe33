/**
 * How long a place that looks for free evidence by itself stands before a person is asked: most of what it can find is there by
 * then, and an attention that goes away by itself would teach people to look away. From a file of its own for the flows, so that
 * a test's bundle can ask at once.
 */
export const ASKS_AFTER_MS = 60_000;

/** Refused credentials are tried again by themselves after this at first: a key may have been restored at the service. */
export const CREDENTIALS_AGAIN_MS = 15 * 60_000;
/** A poll reports a refused key within this: one that lasts longer has a key that the service accepts. */
export const POLL_TELLS_WITHIN_MS = 10 * 60_000;
