/**
 * Evidence of an exclusive account's balance. Optimistic: no gate and no lock, but a reading counts only when nothing moved
 * around it. Each quiet reading is kept; the last one before the unknown call is the opening balance.
 */
import { readBalance, type Amount } from '../../contract/index.js';
import type { Intent } from '../../ledger/index.js';
import type { AccountDeps, ActivityDeps } from '../deps.js';
import { readFree, type FreeRead } from '../free-read.js';
import { decideBalance } from './decide-balance.js';
import { nothing, type Finding } from './types.js';

const TRIES = 10;
const AGAIN_AFTER_MS = 300;
const TOTAL_MS = 10_000;

export interface QuietReading {
  readonly amount: Amount;
  /** Sequence of the account's newest row when it was read. */
  readonly seq: number;
}

/** Two equal readings between which no row of the account moved; undefined when it was not quiet in {@link TRIES} tries. */
export async function readQuietBalance(
  deps: ActivityDeps,
  account: AccountDeps,
  { judged, reader }: { readonly judged?: string; readonly reader: FreeRead['reader'] },
): Promise<QuietReading | undefined> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const before = await deps.ledger.quiet(account.name, judged);
    if (before.busy === 0) {
      const first = await balanceOf(deps, account, reader);
      const second = first === undefined ? undefined : await balanceOf(deps, account, reader);
      const after = await deps.ledger.quiet(account.name, judged);
      const moved = after.busy > 0 || after.seq !== before.seq;
      if (first !== undefined && first === second && !moved) return { amount: first, seq: before.seq };
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
  }
  return undefined;
}

export async function findBalanceEvidence(
  deps: ActivityDeps,
  { account, intent }: { readonly account: AccountDeps; readonly intent: Intent },
): Promise<Finding> {
  const opening = await deps.ledger.openingBalance(account.name, intent.intentId);
  if (opening === undefined) return nothing('the balance (no reading from before the call)');
  const now = await readQuietBalance(deps, account, { judged: intent.intentId, reader: intent });
  if (now === undefined) return nothing('the balance (the account was not quiet)');
  const verdict = decideBalance({
    opening: opening.amount,
    now: now.amount,
    chargedBetween: await deps.ledger.chargedSince(account.name, { sinceSeq: opening.seq, except: intent.intentId }),
    expected: intent.reserved,
    recurring: (await deps.monitors.list(account.name)).some(({ active }) => active),
  });
  switch (verdict.says) {
    case 'not charged':
      return {
        found: 'not charged',
        proof: { proof: 'balance', ...opening, now: now.amount },
        looked: 'the balance (unchanged)',
      };
    case 'charged':
      return {
        found: 'charged',
        charged: verdict.amount,
        proof: { proof: 'balance', ...opening, now: now.amount },
        looked: 'the balance (it was charged)',
      };
    case 'nothing':
      return nothing(`the balance (${verdict.because})`);
  }
}

/** What housekeeping does for exclusive accounts: an opening balance for whatever comes next. */
export async function noteQuietBalance(deps: ActivityDeps, account: AccountDeps): Promise<void> {
  const { seq, busy } = await deps.ledger.quiet(account.name);
  const last = await deps.ledger.openingBalance(account.name);
  if (busy > 0 || last?.seq === seq) return;
  const reading = await readQuietBalance(deps, account, { reader: HOUSEKEEPING });
  if (reading !== undefined) await deps.ledger.noteBalance(account.name, reading);
}

const HOUSEKEEPING = { workflowId: 'housekeeping', firstRunId: '', workflowType: '' };

async function balanceOf(
  deps: ActivityDeps,
  account: AccountDeps,
  reader: FreeRead['reader'],
): Promise<Amount | undefined> {
  const read = await readFree(deps, { account, operation: 'getBalance', params: {}, totalMs: TOTAL_MS, reader });
  if (read.kind !== 'read' || read.judgement.outcome !== 'DONE') return undefined;
  return readBalance(read.judgement.body)?.credits;
}
