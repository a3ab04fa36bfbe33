/** Wraps each charged activity. */
import type { ChargedActivities, ChargedActivity } from '../protocol/index.js';

export function eachCharged(
  charged: ChargedActivities,
  wrap: (call: ChargedActivity, operation: string) => ChargedActivity,
): ChargedActivities {
  const entries = Object.entries(charged).map(([operation, call]) => [operation, wrap(call, operation)]);
  return Object.fromEntries(entries) as ChargedActivities;
}
