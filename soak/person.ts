/**
 * The person who decides parked charges, with the service's charge book at hand: what was charged is said to be charged, what
 * was not, not. So every flow ends, and a second charge could only come from the software.
 */
import { createHash } from 'node:crypto';
import { buildRequest, DEFAULT_GAPS, operationOf, type OperationId } from '../src/contract/index.js';
import { resumeFlow, settleCharge } from '../src/starters/index.js';
import type { Progress } from '../src/protocol/index.js';
import type { Charge, ReceivedRequest } from '../sandbox/index.js';
import type { PlannedCall } from './types.js';
import type { World } from './world.js';

/** What the service charged for a call: by its case, by the target of its request, or by its body. */
export function chargesOf(
  { operation: id, params, body }: PlannedCall,
  { book, requests }: { readonly book: readonly Charge[]; readonly requests: readonly ReceivedRequest[] },
): readonly Charge[] {
  const own = book.filter((charge) => charge.operation === id && charge.reason !== 'recurring');
  const cnj = params['cnj'];
  if (cnj !== undefined) return own.filter(({ subject }) => subject.cnj === cnj);
  const operation = operationOf(id as OperationId);
  const request = buildRequest(operation, { params, flags: [], ...(body === undefined ? {} : { body }) }, DEFAULT_GAPS);
  if (body === undefined) {
    const paid = new Set(requests.filter(({ target }) => target === request.target).map(({ charge }) => charge));
    return own.filter(({ n }) => paid.has(n));
  }
  const about = JSON.stringify([id, {}, {}, JSON.parse(request.body ?? 'null')]);
  const key = createHash('sha256').update(about).digest('hex').slice(0, 16);
  return own.filter((charge) => charge.about === key);
}

/** One answer to what the flow is parked on. */
export async function decide(
  world: World,
  call: PlannedCall,
  parked: { workflowId: string; progress: Progress },
): Promise<void> {
  const [charge] = chargesOf(call, { book: await world.charges(), requests: await world.requests() });
  await decideBy(world, parked, charge);
}

/** The same with the charge that was looked up: undefined where the service charged nothing for the call. */
export async function decideBy(
  { client }: Pick<World, 'client'>,
  { workflowId, progress }: { readonly workflowId: string; readonly progress: Progress },
  charge: Charge | undefined,
): Promise<void> {
  const by = 'soak';
  const step = progress.steps.at(-1)?.step ?? '';
  const isUndecided = ['unknown-charge', 'ledger-lost', 'charged-lost'].includes(progress.attention ?? '');
  if (!isUndecided) {
    await resumeFlow(client, workflowId, { by });
    return;
  }
  const requestId = charge?.requestId ?? undefined;
  if (charge === undefined) await settleCharge(client, workflowId, { step, decision: 'not-charged', by });
  else if (requestId !== undefined)
    await settleCharge(client, workflowId, { step, decision: 'charged', by, requestId });
  else if (progress.attention === 'charged-lost')
    await settleCharge(client, workflowId, { step, decision: 'abandon', by });
  else await settleCharge(client, workflowId, { step, decision: 'charged', by });
}
