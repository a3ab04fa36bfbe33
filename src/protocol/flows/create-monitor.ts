/** `createRadar` and `createCaseMonitor`: what is watched, paid once for its reference, forever. */
import { isJsonObject, type JsonObject } from '../../contract/json.js';
import { defineFlow, workflowIdOf, type FlowPlace } from '../flow.js';
import { textLike, webhookUrl } from '../inputs/kinds.js';
import { checkJson, described, problem, type Member } from '../inputs/members.js';
import type { CommonInput } from '../inputs/common.js';
import type { MonitorResult } from './ensure-notice-monitor.js';

/** Input of `createRadar` and `createCaseMonitor`: what to watch, under a name of your own. A monitor bills again and again. */
export interface CreateMonitorInput extends CommonInput {
  /** Body of the service's own request, without `webhook_url`. */
  readonly definition: JsonObject;
  /** Where the service posts its events: https, to a host of TRAMITA_WEBHOOK_URL_HOSTS. */
  readonly webhookUrl?: string;
  /** The caller's own name for it: under one name it is created once, forever. */
  readonly reference: string;
}

const MAX_DEFINITION_CHARS = 100_000;

/** Only its size and form are checked here; what it may hold is up to the service. */
const definition: Member<JsonObject> = {
  schema: { minProperties: 1, not: { required: ['webhook_url'] } },
  read: (value, name) => {
    if (!isJsonObject(value)) {
      throw problem(name, 'must be a JSON object, the body of the service’s request', described(value));
    }
    if (Object.keys(value).length === 0) throw problem(name, 'is empty, so nothing would be watched');
    if ('webhook_url' in value) {
      throw problem(`${name}.webhook_url`, 'belongs in input.webhookUrl, where its host is checked');
    }
    checkJson(name, value, MAX_DEFINITION_CHARS);
    return value;
  },
};

const parts = {
  idPrefix: 'monitor',
  example: '{"reference":"new-cases-acme","definition":{…}}',
  members: {
    definition,
    webhookUrl,
    reference: textLike(
      /^[A-Za-z0-9][\w.:-]{0,99}$/,
      'must be your own name for the monitor: 1 to 100 letters, digits, ".", ":", "-" or "_"',
    ),
  },
};

export const createRadar = defineFlow<CreateMonitorInput, MonitorResult>()({
  ...parts,
  place: ({ reference }): FlowPlace => ({ id: ['radar', reference], summary: `Radar ${reference}` }),
});

export const createCaseMonitor = defineFlow<CreateMonitorInput, MonitorResult>()({
  ...parts,
  place: ({ reference }): FlowPlace => ({ id: ['case', reference], summary: `Case monitor ${reference}` }),
});

/** Default workflow id of `createRadar` and `createCaseMonitor`. `reference`: the caller's own name. */
export function monitorId(account: string, kind: 'radar' | 'case', reference: string): string {
  return workflowIdOf(parts, account, kind, reference);
}
