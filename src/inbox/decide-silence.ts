/**
 * Decides whether an account's webhooks have stopped, from its newest waits that expected one: three in a row got none, or one
 * got none and no event was ever delivered. Flows of the account then poll without waiting, until a webhook arrives, even late.
 * Pure.
 */

/** Number of newest waits that are judged. */
export const WAITS_JUDGED = 3;

/** `came`: newest first. `everDelivered`: some event of the account is in the inbox. */
export function decideSilence(waits: { readonly came: readonly boolean[]; readonly everDelivered: boolean }): boolean {
  const { came, everDelivered } = waits;
  if (came.length === 0 || came.some(Boolean)) return false;
  return came.length >= WAITS_JUDGED || !everDelivered;
}
