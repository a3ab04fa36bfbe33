/** Settles an answer that only the spool has. The file is put aside when the ledger has the answer, not before. */
import type { Spool } from './spool.js';
import type { Settled, Settlement } from '../settlement.js';

export type SpoolSettlement =
  | { readonly kind: 'settled'; readonly settled: Settled }
  | { readonly kind: 'missing' }
  | { readonly kind: 'corrupt'; readonly setAside: string };

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
