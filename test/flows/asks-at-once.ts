/** Stands for `src/workflows/flow/asks-after.ts` in the bundles of tests: what parks asks for a person at once. */
export const ASKS_AFTER_MS = 0;
