/** F0 and F2: connections that are refused, or cut in the TLS handshake. Nothing was sent, so every flow sends again by itself. */
import type { OperationId } from '../../src/contract/index.js';
import type { FlowRecord } from './flows.js';
import type { Armed } from './matrix.js';
import type { World } from './world.js';

const REFUSED_FOR_MS = 1_500;
/** Back-off of a call that was not sent: 1, 5, 15 s. */
const WITHIN_MS = 180_000;

export const REFUSED = 'F0 refused (call)';
export const HANDSHAKE_CUT = 'F2 TLS handshake cut (call)';

const RARE: readonly OperationId[] = ['searchLegacy'];

export async function stockUnreachable({ services, operations, stock }: World, count: number): Promise<void> {
  for (const operation of operations) {
    if (RARE.includes(operation)) continue;
    await stock.lay({ service: services.default, operation, place: 'first', count: 2 * count });
  }
}

/** `count` flows of each operation for each of the two. */
export async function runUnreachable(world: World, count: number): Promise<Armed> {
  const { services, operations, stock, flows } = world;
  const service = services.default;
  const wanted = operations.filter((operation) => !RARE.includes(operation));
  const startAll = (label: string, account: string): Promise<FlowRecord[]> =>
    Promise.all(wanted.map((operation) => flows.start(stock.take(service, operation, 'first'), { label, account })));
  const armed: Armed[number][] = [];
  for (let left = count; left > 0; left -= 1) {
    await service.arm({ fault: 'F0', ms: REFUSED_FOR_MS });
    await flows.ended(await startAll(REFUSED, 'default'), WITHIN_MS);
    const row = { label: 'F2 TLS handshake cut', fault: {}, where: [] } as const;
    armed.push({ service, row, where: 'call', id: await service.arm({ fault: 'F2', times: wanted.length }) });
    await flows.ended(await startAll(HANDSHAKE_CUT, 'tls'), WITHIN_MS);
  }
  world.say(`unreachable: ${2 * count * wanted.length} flows`);
  return armed;
}
