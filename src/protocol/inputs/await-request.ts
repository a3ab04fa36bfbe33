/** Input of `awaitRequest`. Pure. */
import { parseRequestId, type RequestId } from '../../contract/values/index.js';
import { COMMON_MEMBERS, commonSettings, type CommonInput, type CommonSettings } from './common.js';
import { guard, objectMembers, problem, type Parsed } from './members.js';

/** Input of `awaitRequest`: pending work of the service that somebody has asked for already. */
export interface AwaitRequestInput extends CommonInput {
  /** The UUID of pending work, as a 202 of the service gave it. */
  readonly requestId: string;
}

export interface AwaitRequestSettings extends CommonSettings {
  readonly requestId: RequestId;
}

export function parseAwaitRequestInput(input: unknown): Parsed<AwaitRequestSettings> {
  return guard(() => {
    const members = objectMembers(input, ['requestId', ...COMMON_MEMBERS], '{"requestId":"…"}');
    const requestId = parseRequestId(members['requestId']);
    if (requestId === undefined) throw problem('requestId', 'must be a UUID', members['requestId'] ?? null);
    return { ...commonSettings(members), requestId };
  });
}
