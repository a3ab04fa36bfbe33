/** Replaces `asks-after.ts` and `event-looks.ts` of `src/workflows/flow` in one test's bundle: seconds instead of minutes. */
export * from '../../src/workflows/flow/asks-after.js';
export * from '../../src/workflows/flow/event-looks.js';

export const CREDENTIALS_AGAIN_MS = 2_000;
export const POLL_TELLS_WITHIN_MS = 1_000;
export const lookAtMostEveryMs = (): number => 500;
