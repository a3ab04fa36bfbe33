/** Shared by the monitor flows: the charged call about a monitor, the monitor of a result, the failure of a refused listing. */
import { present } from '../../contract/values/index.js';
import type { DescribedCall, ListingRefused, MonitorReading, MonitorResult } from '../../protocol/index.js';
import { runChargedStep, type DoneCall } from '../step/charged-step.js';
import { failureOfRefusal, reasonSuffix } from '../step/decide-rejection.js';
import type { ChargedStep } from '../step/step-run.js';
import type { Flow } from '../flow/flow.js';
import { describe, type MemberNames } from './described-call.js';

export type MonitorCall = Pick<ChargedStep, 'step' | 'operation' | 'params' | 'body' | 'title'>;

/** Names that the members of a notice monitor have in the inputs of the flows. */
export const NOTICE_MONITOR_MEMBERS: MemberNames = {
  'body.oabs': 'oabs',
  'body.termos_auxiliares': 'terms',
  'body.origens_ids': 'origins',
  'body.webhook_url': 'webhookUrl',
};

/** Runs a charged call about a monitor. If it is unknown whether the call created one, the listing shows it. */
export async function runMonitorCall(
  flow: Flow,
  call: MonitorCall,
  names: MemberNames,
): Promise<DoneCall<MonitorReading>> {
  const { operation, params, body } = call;
  const described = await describe(flow, { operation, params, ...present({ body }) }, names);
  return runChargedStep(flow, {
    ...call,
    title: titleWithCost(call.title, described),
    view: 'monitor',
    flags: [],
    ...(described.evidence === 'listing' ? { listing: true } : {}),
  });
}

/** Names a figure only if it is known: the default reserve is no price of a monitor. Pure. */
export function titleWithCost(
  title: string,
  { charge, price, priceStated }: Pick<DescribedCall, 'charge' | 'price' | 'priceStated'>,
): string {
  if (charge !== 'recurring') return title;
  return `${title} (recurring charge${priceStated === true ? `, about ${price}` : ''})`;
}

/** `reading`: the answer to the call that made or changed it, if one was made. */
export function monitorOf(
  monitor: MonitorReading['monitors'][number] | undefined,
  reading?: MonitorReading,
): MonitorResult['monitor'] {
  const { callback, billing } = reading ?? {};
  return { id: monitor?.id ?? null, status: monitor?.status ?? null, ...present({ callback, billing }) };
}

export function listingRefused(
  flow: Flow,
  operation: string,
  { kind: _kind, status, charges = [], ...listing }: ListingRefused,
): Error {
  for (const charge of charges) flow.inform(charge);
  const charged = charges.map((charge) => `${charge.operation} charged ${charge.amount} although it should be free. `);
  const spent = `${charged.join('')}Nothing ${charged.length === 0 ? '' : 'else '}was spent`;
  const answered = present({ status: status === 0 ? undefined : status });
  const facts = { ...listing, ...answered, charged: null, reused: false, settled: true };
  const message = `${operation} ${endOf(status)}${reasonSuffix(facts)}. ${spent}`;
  return flow.fail(failureOfRefusal(facts), message, { operation, facts });
}

/** If the listing came but cannot be used, the reason says more than its status. */
function endOf(status: number): string {
  if (status === 0) return 'could not be read';
  return status < 400 ? 'cannot be used' : `was refused with HTTP ${status}`;
}
