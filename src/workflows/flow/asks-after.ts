/** Waits of parked flows. A file of their own, so that the bundle of a test can have shorter ones. */

/**
 * A place that looks for free evidence by itself asks a person after this: most of what it can find is there by then, and an
 * attention that goes away by itself would teach people to ignore it.
 */
export const ASKS_AFTER_MS = 60_000;

/** Refused credentials are tried again by themselves after this at first: a key may have been restored at the service. */
export const CREDENTIALS_AGAIN_MS = 15 * 60_000;
/** A poll reports a refused key within this: one that lasts longer has a key that the service accepts. */
export const POLL_TELLS_WITHIN_MS = 10 * 60_000;
