/** Replaces `src/workflows/parts/portfolio-shifts.ts` in one test's bundle: shifts of seconds, each in a run of its own. */
export const SHIFT_MS = 3_000;
export const FIRST_SHIFT_MS = 2_000;
export const SHIFTS_PER_RUN = 1;
