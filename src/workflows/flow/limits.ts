/**
 * How long a flow waits for what may never come: a person, an end of pending work, a page that is ready. Others are derived from
 * it: a refresh may be adopted for a day longer (`ledger/look-up.ts`, `activities/polling/look-up-refresh.ts`), and a waiter lives
 * through one wait and one parking (`inbox/waiter-statements.ts`).
 */
export const GIVE_UP_AFTER_MS = 30 * 86_400_000;
