/** `deactivateMonitor`: switches a monitor off. */
import { defineFlow, workflowIdOf } from '../flow.js';
import { member, textLike } from '../inputs/kinds.js';
import type { Member } from '../inputs/members.js';
import type { CommonInput } from '../inputs/common.js';
import type { FlowCosts } from '../results.js';

const KINDS = ['administrative', 'notices', 'radar', 'case'] as const;

/** Input of `deactivateMonitor`: the monitor to switch off. */
export interface DeactivateMonitorInput extends CommonInput {
  /** What kind of monitor it is. */
  readonly kind: (typeof KINDS)[number];
  /** Id of the monitor at the service. */
  readonly id: string;
}

/** Result of `deactivateMonitor`: the status that the service reports afterwards. */
export interface DeactivateMonitorResult extends FlowCosts {
  /** Word of the service; `inactive` where it says nothing. */
  readonly status: string;
}

const kind = member(`must be one of ${KINDS.join(', ')}`, { type: 'string', enum: KINDS }, (value) =>
  KINDS.find((each) => each === value),
);

const monitorText = textLike(/^[\w.:-]{1,100}$/, 'must be the id of the monitor');
const id: Member<string> = {
  schema: monitorText.schema,
  read: (value, name) => monitorText.read(typeof value === 'number' ? String(value) : value, name),
};

export const deactivateMonitor = defineFlow<DeactivateMonitorInput, DeactivateMonitorResult>()({
  idPrefix: 'monitor',
  example: '{"kind":"administrative","id":"…"}',
  members: { kind, id },
  place: (settings) => ({
    id: ['off', settings.kind, settings.id],
    summary: `Switch off ${settings.kind} monitor ${settings.id}`,
  }),
});

/** Default workflow id of `deactivateMonitor`. */
export function deactivateMonitorId(account: string, kind: string, id: string): string {
  return workflowIdOf(deactivateMonitor, account, 'off', kind, id);
}
