/** What the monitor flows share: the check before anything is spent, a refused listing, the monitor of an answer. */
import { present } from '../../contract/values/index.js';
import type { JsonObject } from '../../contract/json.js';
import type { Parameters } from '../../contract/route.js';
import type { CallDescription, ListingRefused, MonitorReading } from '../../protocol/index.js';
import { localCalls } from '../flow/calls.js';
import { runChargedStep, type DoneCall } from '../step/charged-step.js';
import { decideRejection } from '../step/decide-rejection.js';
import type { Flow } from '../flow/flow.js';

export interface MonitorCall {
  readonly step: string;
  readonly operation: string;
  readonly params: Parameters;
  readonly body?: JsonObject;
  readonly title: string;
}

/** Throws `InvalidInput` when the call cannot be made as asked; nothing was sent. */
export async function describeOrFail(
  flow: Flow,
  call: MonitorCall,
): Promise<Extract<CallDescription, { known: true }>> {
  const { operation, params, body } = call;
  const described = await localCalls().describeCall({
    ...{ account: flow.settings.account, operation, params },
    ...present({ body }),
  });
  if (described.known) return described;
  throw flow.fail('InvalidInput', `${described.problem}. Nothing was sent`, { operation });
}

/** The call and the monitor that its answer tells of; what an unknown one created is looked for in the listing. */
export async function runMonitorCall(
  flow: Flow,
  call: MonitorCall,
): Promise<{ readonly call: DoneCall; readonly reading: MonitorReading }> {
  const { evidence, charge, price } = await describeOrFail(flow, call);
  const done = await runChargedStep(flow, {
    ...call,
    title: charge === 'recurring' ? `${call.title} (bills again and again, about ${price})` : call.title,
    view: 'monitor',
    flags: [],
    ...(evidence === 'listing' ? { listing: true } : {}),
  });
  return { call: done, reading: done.reading as unknown as MonitorReading };
}

export function listingRefused(flow: Flow, operation: string, { status, reason }: ListingRefused): Error {
  const next = decideRejection({ status, charged: null, reused: false, settled: true }, { tries: 99, paid: false });
  const type = next.then === 'fail' ? next.type : 'Rejected';
  return flow.fail(type, `${operation} was refused with HTTP ${status} (${reason}). Nothing was spent`, { operation });
}
