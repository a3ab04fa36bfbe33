/** Input of `callOperation`. Pure. */
import { present } from '../../contract/values/index.js';
import type { JsonObject } from '../../contract/json.js';
import type { Parameters } from '../../contract/route.js';
import { jsonBody, operationId, parameters } from './arguments.js';
import { COMMON_MEMBERS, commonSettings, type CommonInput, type CommonSettings } from './common.js';
import { guard, objectMembers, type Parsed } from './members.js';

/** Input of `callOperation`: one operation of the service with its arguments. */
export interface CallOperationInput extends CommonInput {
  /** Id of a built-in or configured operation. */
  readonly operation: string;
  /** By the service's own names, gap names as configured. */
  readonly params?: Parameters;
  /** JSON body; only for POST and PUT. */
  readonly body?: JsonObject;
}

export interface CallOperationSettings extends CommonSettings {
  readonly operation: string;
  readonly params: Parameters;
  readonly body?: JsonObject;
}

const MEMBERS = ['operation', 'params', 'body', ...COMMON_MEMBERS] as const;

/** Checks the form; whether the operation takes these arguments is asked of the catalogue before anything is spent. */
export function parseCallOperationInput(input: unknown): Parsed<CallOperationSettings> {
  return guard(() => {
    const members = objectMembers(input, MEMBERS, '{"operation":"getCase","params":{"cnj":"…"}}');
    const body = jsonBody(members);
    return {
      ...commonSettings(members),
      operation: operationId(members),
      params: parameters(members),
      ...present({ body }),
    };
  });
}
