/**
 * How long a place that looks for free evidence by itself stands before a person is asked: most of what it can find is there by
 * then, and an attention that goes away by itself would teach people to look away. From a file of its own for the flows, so that
 * a test's bundle can ask at once.
 */
export const ASKS_AFTER_MS = 60_000;
