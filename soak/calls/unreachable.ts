/** F0 and F2: connections that are refused, or cut in the TLS handshake. Nothing was sent, so every flow sends again by itself. */
import type { OperationId } from '../../src/contract/index.js';
import type { Ask } from './asks.js';
import { MATRIX_OPERATIONS, RARE, type MatrixStage } from './matrix.js';

const REFUSED_FOR_MS = 1_500;
/** Back-off of a call that was not sent: 1, 5, 15 s. */
const WITHIN_MS = 180_000;
const REFUSED = 'F0 refused (call)';
const HANDSHAKE_CUT = 'F2 TLS handshake cut (call)';
const WANTED = MATRIX_OPERATIONS.filter((operation) => !RARE.includes(operation));

/** `count` rounds for each of the two faults, each with one call of every operation. */
export async function stockUnreachable(stage: MatrixStage, count: number): Promise<readonly (readonly Ask[])[]> {
  const rounds: (readonly Ask[])[] = [];
  while (rounds.length < 2 * count) rounds.push(await askEach(stage, WANTED, 1));
  return rounds;
}

export async function runUnreachable(stage: MatrixStage, rounds: readonly (readonly Ask[])[]): Promise<void> {
  const { service } = stage.world;
  for (const [place, asks] of rounds.entries()) {
    if (place % 2 === 0) {
      await service.arm({ fault: 'F0', ms: REFUSED_FOR_MS });
      await runEach(stage, asks, { label: REFUSED, withinMs: WITHIN_MS });
    } else {
      await service.arm({ fault: 'F2', times: asks.length }, HANDSHAKE_CUT);
      await runEach(stage, asks, { label: HANDSHAKE_CUT, withinMs: WITHIN_MS, account: 'tls' });
    }
  }
  stage.say(`unreachable: ${rounds.flat().length} flows`);
}

/** `count` calls of each operation. */
export async function askEach(
  { world, asks }: MatrixStage,
  operations: readonly OperationId[],
  count: number,
): Promise<readonly Ask[]> {
  const made: Ask[] = [];
  for (const operation of operations) made.push(...(await asks.make({ service: world.service, operation, count })));
  return made;
}

/** Starts all at once and waits until they have ended. */
export async function runEach(
  { world: { flows } }: MatrixStage,
  asks: readonly Ask[],
  { withinMs, ...order }: { readonly label: string; readonly withinMs: number; readonly account?: string },
): Promise<void> {
  await flows.ended(await Promise.all(asks.map((ask) => flows.start({ ...ask, ...order }))), withinMs);
}
