/** Replaces `src/workflows/flow/calls.ts` in one test's bundle: a round of polling lasts seconds instead of a day. */
export * from '../../src/workflows/flow/calls.js';

export const POLLING_ROUND_MS = 3_000;
