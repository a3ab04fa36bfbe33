/** Replaces `src/workflows/flow/asks-after.ts` in the bundles of tests: a parked flow asks for a person at once. */
export const ASKS_AFTER_MS = 0;
