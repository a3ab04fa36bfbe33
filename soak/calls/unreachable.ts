/** F0 and F2: connections that are refused, or cut in the TLS handshake. Nothing was sent, so every flow sends again by itself. */
import type { OperationId } from '../../src/contract/index.js';
import { MATRIX_OPERATIONS, RARE, type MatrixStage } from './matrix.js';

const REFUSED_FOR_MS = 1_500;
/** Back-off of a call that was not sent: 1, 5, 15 s. */
const WITHIN_MS = 180_000;
const REFUSED = 'F0 refused (call)';
const HANDSHAKE_CUT = 'F2 TLS handshake cut (call)';
const WANTED = MATRIX_OPERATIONS.filter((operation) => !RARE.includes(operation));

export async function stockUnreachable(stage: MatrixStage, count: number): Promise<void> {
  await stockEach(stage, WANTED, 2 * count);
}

/** `count` flows of each operation for each of the two. */
export async function runUnreachable(stage: MatrixStage, count: number): Promise<void> {
  const { world, armed, say } = stage;
  const { service } = world;
  const one = { count: 1, withinMs: WITHIN_MS };
  for (let left = count; left > 0; left -= 1) {
    await service.arm({ fault: 'F0', ms: REFUSED_FOR_MS });
    await runEach(stage, WANTED, { ...one, label: REFUSED });
    await armed.arm({ service, fault: { fault: 'F2', times: WANTED.length }, label: HANDSHAKE_CUT });
    await runEach(stage, WANTED, { ...one, label: HANDSHAKE_CUT, account: 'tls' });
  }
  say(`unreachable: ${2 * count * WANTED.length} flows`);
}

/** `count` calls of each operation. */
export async function stockEach(
  { world, stock }: MatrixStage,
  operations: readonly OperationId[],
  count: number,
): Promise<void> {
  for (const operation of operations) await stock.lay({ service: world.service, operation, place: 'first', count });
}

/** All at once, and to their end. */
export async function runEach(
  { world, stock }: MatrixStage,
  operations: readonly OperationId[],
  order: { readonly label: string; readonly count: number; readonly withinMs: number; readonly account?: string },
): Promise<void> {
  const { service, flows } = world;
  const { count, withinMs, ...flow } = order;
  const asks = operations.flatMap((operation) =>
    Array.from({ length: count }, () => stock.take(service, operation, 'first')),
  );
  await flows.ended(await Promise.all(asks.map((ask) => flows.start({ ...ask, ...flow }))), withinMs);
}
