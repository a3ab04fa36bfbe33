/** Shows live what the service sees: requests with their charges, and webhooks through the bridge. */
import { setTimeout as sleep } from 'node:timers/promises';
import { formatAmount } from '../../contract/index.js';
import type { Charge, ReceivedRequest } from '../../../sandbox/index.js';
import type { SandboxControl } from '../../local/index.js';

const LOOK_EVERY_MS = 150;

/** Resolves when earlier requests and deliveries are known; later ones are shown until `ended` resolves. */
export async function watchSandbox({
  control,
  onStep,
  until,
}: {
  readonly control: SandboxControl;
  readonly onStep: (text: string) => void;
  /** Ends the watch after one last look. */
  readonly until: AbortSignal;
}): Promise<{ readonly ended: Promise<void> }> {
  const before = new Set((await control.requests()).map(({ n }) => n));
  const shown = new Set((await control.deliveries()).map(({ deliveryId }) => deliveryId));
  const look = async (): Promise<void> => {
    const requests = await control.requests();
    // Read after the requests: an answered request already has its charge.
    const [charges, deliveries] = await Promise.all([control.charges(), control.deliveries()]);
    for (const request of requests) {
      if (before.has(request.n) || request.status === null) continue;
      before.add(request.n);
      onStep(requestLine(request, charges));
    }
    for (const { deliveryId, event, state, attempts } of deliveries) {
      if (shown.has(deliveryId) || state !== 'delivered') continue;
      shown.add(deliveryId);
      onStep(`webhook  ${event} delivered through the bridge, which answered ${attempts.at(-1)?.status ?? '?'}`);
    }
  };
  const watch = async (): Promise<void> => {
    while (!until.aborted) {
      await look();
      await sleep(LOOK_EVERY_MS, undefined, { signal: until }).catch(() => undefined);
    }
    await look();
  };
  return { ended: watch() };
}

/** Pure. A signed link is never printed. */
export function requestLine(
  request: Pick<ReceivedRequest, 'origin' | 'method' | 'target' | 'status' | 'charge'>,
  charges: readonly Pick<Charge, 'n' | 'amount'>[],
): string {
  const charge = charges.find(({ n }) => n === request.charge);
  const cost = charge === undefined ? 'free' : `charged ${formatAmount(charge.amount)}`;
  const what = request.origin === 'documents' ? 'GET a signed link (not shown)' : `${request.method} ${request.target}`;
  return `service  ${what} → ${request.status ?? '?'}, ${cost}`;
}
