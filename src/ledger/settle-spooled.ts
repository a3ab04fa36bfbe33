/** Settles an answer that only the spool has. The file is put aside when the ledger has the answer, not before. */
import type { Spool } from './spool.js';
import type { ChargedCalls } from './ledger.js';
import type { Settled } from './settlement.js';

export type SpoolSettlement =
  | { readonly kind: 'settled'; readonly settled: Settled }
  | { readonly kind: 'missing' }
  | { readonly kind: 'corrupt'; readonly setAside: string };

export async function settleSpooled(
  ledger: Pick<ChargedCalls, 'settle'>,
  spool: Spool,
  intentId: string,
  /** The row that has this call now, where it was lost and written again. */
  rowId = intentId,
): Promise<SpoolSettlement> {
  const spooled = await spool.read(intentId);
  if (spooled.kind !== 'found') return spooled;
  const settled = await ledger.settle(rowId, spooled.settlement);
  await spool.keep(intentId);
  return { kind: 'settled', settled };
}
