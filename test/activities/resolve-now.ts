/** Calls `resolveUnknown` like its activity, for an attempt that is scheduled now unless the test says otherwise. */
import { resolveUnknown as resolve } from '../../src/activities/evidence/resolve-unknown.js';

type Given = Parameters<typeof resolve>;

export function resolveUnknown(deps: Given[0], input: Given[1], asker?: Given[2]): ReturnType<typeof resolve> {
  const nowMs = deps.clock.nowMs();
  return resolve(deps, input, asker ?? { workflowType: '', scheduledAtMs: nowMs, attemptScheduledAtMs: nowMs });
}
