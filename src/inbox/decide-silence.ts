/**
 * Do the webhooks of an account come? Judged by its newest waits that expected one: three in a row without any, or one where none
 * was ever delivered, and flows of the account poll instead of waiting for the next. One that comes, late or not, ends it. Pure.
 */

/** So many waits are looked at. */
export const WAITS_JUDGED = 3;

/** `came`: newest first. `everDelivered`: some event of the account is in the inbox. */
export function decideSilence(waits: { readonly came: readonly boolean[]; readonly everDelivered: boolean }): boolean {
  const { came, everDelivered } = waits;
  if (came.length === 0 || came.some(Boolean)) return false;
  return came.length >= WAITS_JUDGED || !everDelivered;
}
