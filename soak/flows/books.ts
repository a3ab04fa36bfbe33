/** The books of both sides as one case sees them: ledger, charge book and journal; and what a parked flow waits for. */
import type { LedgerRow } from '../../src/ledger/index.js';
import type { Progress } from '../../src/protocol/index.js';
import type { Charge } from '../../sandbox/index.js';
import { ledgerRows } from '../run-soak.js';
import { chargeOf } from './match.js';
import type { Stage } from './stage.js';
import type { Parking } from './types.js';

export interface Books {
  /** Rows of the ledger that made a call of their own, of these workflows, oldest first. */
  rows(workflowIds: readonly string[]): Promise<readonly LedgerRow[]>;
  /** Charges of the service of the killed runs. */
  charges(): Promise<readonly Charge[]>;
  /** When the request that was charged came in. */
  reachedAtMs(charge: Charge): Promise<number | undefined>;
  /** What the calls of a case are about; undefined where nobody has told. */
  readonly abouts: ReadonlySet<string>;
}

export function openBooks({ world }: Stage, abouts: ReadonlySet<string>): Books {
  return {
    abouts,
    rows: async (workflowIds) =>
      (await ledgerRows(world)).filter((row) => row.joined === null && workflowIds.includes(row.workflowId)).reverse(),
    charges: () => world.charges(),
    reachedAtMs: async ({ n }) => {
      const request = (await world.requests()).find(({ charge }) => charge === n);
      return request === undefined ? undefined : Date.parse(request.at);
    },
  };
}

/** What stands in the books about the call that a flow is parked on. */
export async function lookUp(
  books: Books,
  { workflowId, progress }: { readonly workflowId: string; readonly progress: Progress },
): Promise<Parking> {
  const step = progress.steps.at(-1)?.step ?? '';
  const rows = await books.rows([workflowId]);
  const row = rows.filter((each) => each.step === step).at(-1);
  const charge = row === undefined ? undefined : chargeOf(row, rows, { ...books, book: await books.charges() });
  return {
    ...{ workflowId, step, row, charge, atMs: Date.now(), attention: progress.attention ?? 'stalled' },
    reachedAtMs: charge === undefined ? undefined : await books.reachedAtMs(charge),
  };
}
