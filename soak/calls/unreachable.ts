/** F0 and F2: connections that are refused, or cut in the TLS handshake. Nothing was sent, so every flow sends again by itself. */
import { MATRIX_OPERATIONS, RARE, type MatrixStage } from './matrix.js';

const REFUSED_FOR_MS = 1_500;
/** Back-off of a call that was not sent: 1, 5, 15 s. */
const WITHIN_MS = 180_000;
const REFUSED = 'F0 refused (call)';
const HANDSHAKE_CUT = 'F2 TLS handshake cut (call)';
const WANTED = MATRIX_OPERATIONS.filter((operation) => !RARE.includes(operation));

export async function stockUnreachable({ world, stock }: MatrixStage, count: number): Promise<void> {
  for (const operation of WANTED) {
    await stock.lay({ service: world.service, operation, place: 'first', count: 2 * count });
  }
}

/** `count` flows of each operation for each of the two. */
export async function runUnreachable({ world, stock, armed, say }: MatrixStage, count: number): Promise<void> {
  const { service, flows } = world;
  const runAll = async (label: string, account: string): Promise<void> => {
    const starts = WANTED.map((operation) =>
      flows.start({ ...stock.take(service, operation, 'first'), label, account }),
    );
    await flows.ended(await Promise.all(starts), WITHIN_MS);
  };
  for (let left = count; left > 0; left -= 1) {
    await service.arm({ fault: 'F0', ms: REFUSED_FOR_MS });
    await runAll(REFUSED, 'default');
    await armed.arm({ service, fault: { fault: 'F2', times: WANTED.length }, label: HANDSHAKE_CUT });
    await runAll(HANDSHAKE_CUT, 'tls');
  }
  say(`unreachable: ${2 * count * WANTED.length} flows`);
}
