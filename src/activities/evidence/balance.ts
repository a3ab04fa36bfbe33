/**
 * Evidence by the balance of an exclusive account. It is optimistic: it takes no lock, but a reading counts only if no row of
 * the account moved around it. Quiet readings are stored; the last one before the unknown call is its opening balance.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { readCaseMonitors } from '../../contract/index.js';
import type { Intent, NewReading } from '../../ledger/index.js';
import type { AccountDeps } from '../deps.js';
import { readBalanceNow } from '../free/read-balance.js';
import type { FreeRead } from '../../http/index.js';
import { notYet } from '../to-failure.js';
import { decideBalance, mayHaveBilled, stayedQuiet } from './decide-balance.js';
import { nothing, type EvidenceDeps, type Finding } from './types.js';

const TRIES = 10;
const AGAIN_AFTER_MS = 300;
const TOTAL_MS = 10_000;
/** No try begins after this; the last one may take 20 s more. */
const TRY_FOR_MS = 25_000;
/** A reading is renewed after this, even if no row was written since: top-ups and monthly bills leave none. */
const READING_LASTS_MS = 15 * 60_000;

/** The balance, read twice with the same result while no row of the account moved, unless a read was charged. */
async function readQuietBalance(
  deps: EvidenceDeps,
  account: AccountDeps,
  { judged, reader }: { readonly judged?: string; readonly reader: FreeRead['reader'] },
): Promise<{ readonly reading?: NewReading; readonly wasCharged?: true }> {
  const read = { account, reader, totalMs: TOTAL_MS };
  const untilMs = deps.clock.monotonicMs() + TRY_FOR_MS;
  for (let attempt = 0; attempt < TRIES && deps.clock.monotonicMs() < untilMs; attempt += 1) {
    if (attempt > 0) await sleep(AGAIN_AFTER_MS);
    const before = await deps.ledger.quiet(account.name, judged);
    if (before.busy > 0) continue;
    const first = await readBalanceNow(deps, read);
    const isUsable = first.balance !== undefined && first.unexpected === undefined;
    const { balance: amount, unexpected } = isUsable ? await readBalanceNow(deps, read) : first;
    if (unexpected !== undefined) return { wasCharged: true };
    if (amount === undefined || amount !== first.balance) continue;
    const after = await deps.ledger.quiet(account.name, judged);
    if (stayedQuiet(before, after)) return { reading: { amount, seq: before.seq, clearTo: before.clearTo } };
  }
  return {};
}

/** `overAtMs`: until then the service may still process the call, so a missing charge proves nothing. */
export async function findBalanceEvidence(
  deps: EvidenceDeps,
  call: { readonly account: AccountDeps; readonly intent: Intent; readonly overAtMs: number },
): Promise<Finding> {
  const { account, intent, overAtMs } = call;
  const opening = await deps.ledger.openingBalance(account.name, intent.intentId);
  if (opening === undefined) return nothing('the balance (no reading from before the call)');
  const { begunAtMs } = await deps.ledger.life();
  if (opening.takenAtMs < begunAtMs || intent.evidence?.['lost'] === true) {
    return nothing('the balance (the ledger may have forgotten calls since its last reading)');
  }
  const askedAtMs = deps.clock.nowMs();
  const { reading, wasCharged = false } = await readQuietBalance(deps, account, {
    judged: intent.intentId,
    reader: intent,
  });
  if (wasCharged) return nothing('the balance (reading it was charged)');
  if (reading === undefined)
    return nothing('the balance (it could not be read while no call of the account was in progress)');
  const interval = { fromMs: opening.takenAtMs, toMs: deps.clock.nowMs() };
  const verdict = decideBalance({
    opening: opening.amount,
    now: reading.amount,
    chargedBetween: await deps.ledger.chargedSince(account.name, {
      sinceSeq: opening.clearTo,
      except: intent.intentId,
    }),
    mayHaveBilled: await someMonitorMayHaveBilled(deps, account, interval),
    mayHaveRefunded: account.refunds !== 'never',
  });
  const proof = { proof: 'balance', opening: opening.amount, openingSeq: opening.seq, now: reading.amount };
  switch (verdict.says) {
    case 'not charged':
      if (askedAtMs < overAtMs) throw notYet('the service may still charge the call', overAtMs - askedAtMs + 100);
      return { found: 'not charged', proof, reading, looked: 'the balance (unchanged)' };
    case 'charged':
      return { found: 'charged', charged: verdict.amount, proof, reading, looked: 'the balance (it was charged)' };
    case 'nothing':
      return nothing(`the balance (${verdict.because})`);
  }
}

/** Housekeeping of an exclusive account: stores a quiet balance as the opening balance of later calls. */
export async function noteQuietBalance(deps: EvidenceDeps, account: AccountDeps): Promise<void> {
  const { seq, busy } = await deps.ledger.quiet(account.name);
  if (busy > 0) return;
  const last = await deps.ledger.openingBalance(account.name);
  if (last?.seq === seq && deps.clock.nowMs() - last.takenAtMs < READING_LASTS_MS) return;
  const { reading } = await readQuietBalance(deps, account, { reader: HOUSEKEEPING });
  if (reading !== undefined) await deps.ledger.noteBalance(account.name, reading);
}

const HOUSEKEEPING = { workflowId: 'housekeeping', firstRunId: '', workflowType: '' };

async function someMonitorMayHaveBilled(
  deps: EvidenceDeps,
  { name }: AccountDeps,
  interval: { readonly fromMs: number; readonly toMs: number },
): Promise<boolean> {
  return (await deps.monitors.kept(name)).some(
    ({ active, data, askedAtMs, toldAtMs }) =>
      (active || toldAtMs > interval.fromMs) &&
      mayHaveBilled(
        { nextDebitOn: readCaseMonitors({ data })?.monitors[0]?.nextDebitOn ?? null, askedAtMs, toldAtMs },
        interval,
      ),
  );
}
