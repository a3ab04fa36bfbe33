/** How long a portfolio's dispatcher works at a time, and when its flow goes on in a new run. */

/** Counts are brought up to date this often. */
export const SHIFT_MS = 60_000;
/** The first shift of a run is short: until its end nothing is known of the round, and people are watching. */
export const FIRST_SHIFT_MS = 5_000;
/** Five events a shift: far below the history's limit, and a new run every few hours. */
export const SHIFTS_PER_RUN = 300;
