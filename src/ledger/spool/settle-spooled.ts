/** Settles an answer from the spool. The spool puts it aside only once the ledger has it. */
import type { Spool, SpoolRead } from './spool.js';
import type { Settled, Settlement } from '../settlement.js';

export type SpoolSettlement =
  { readonly kind: 'settled'; readonly settled: Settled } | Exclude<SpoolRead, { kind: 'found' }>;

export async function settleSpooled(
  spool: Spool,
  intentId: string,
  settle: (settlement: Settlement) => Promise<Settled>,
): Promise<SpoolSettlement> {
  const spooled = await spool.read(intentId);
  if (spooled.kind !== 'found') return spooled;
  const settled = await settle(spooled.settlement);
  await spool.keep(intentId);
  return { kind: 'settled', settled };
}
