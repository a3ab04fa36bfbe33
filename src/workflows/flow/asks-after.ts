/** Waits of parked flows. They have a file of their own, so that a test's bundle can replace them with shorter ones. */

/**
 * A parked flow that looks for free evidence by itself asks a person after this. Most evidence is there by then, and alerts
 * that go away by themselves would teach people to ignore them.
 */
export const ASKS_AFTER_MS = 60_000;

/** First pause before refused credentials are tried again automatically: the key may have been restored at the service. */
export const CREDENTIALS_AGAIN_MS = 15 * 60_000;
/** A poll reports a refused key within this time. If it has not, the service accepts the key. */
export const POLL_TELLS_WITHIN_MS = 10 * 60_000;
