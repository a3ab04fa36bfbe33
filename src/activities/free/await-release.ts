/**
 * Waits until the held call of a flow may be sent. Each attempt looks once and the server repeats it, so a wait of any length
 * adds no history events. What ends the wait depends on why the call is held:
 * - `database`: our own database answers a read.
 * - `ledger`: the ledger, which may have lost rows, is reconciled.
 * - `outage`: the service answers a read of the balance, which is free. One attempt of all processes makes it, once a minute.
 *   If that read has been charged before, it is not made: the calls are released, and the brake stops them again if they fail.
 *   The flow learns of the charge when its wait ends.
 */
import { buildRequest } from '../../contract/index.js';
import { nameOfError, PROBE_EVERY_MS } from '../../contract/values/index.js';
import { parseStrictJson, pollDelayMs, sendFree, type Exchange } from '../../http/index.js';
import type { AccountHold } from '../../ledger/index.js';
import type { AwaitReleaseInput, UnexpectedRead } from '../../protocol/index.js';
import type { Asker } from '../asker.js';
import { accountOf } from '../configured-account.js';
import type { AccountDeps, LedgerDeps, ServiceDeps } from '../deps.js';
import { notYet } from '../to-failure.js';
import { chargedBefore } from './collect-charges.js';

const PROBE_TOTAL_MS = 20_000;
/** For so long the probe of another process may be in progress. */
const PROBE_UNDER_WAY_MS = 25_000;
const SOON_MS = 3_000;
/** After this the calls are released without a sign of the service: perhaps only its balance is out. */
const TRY_AFTER_MS = 3_600_000;
/** Our own database is read at least this often: that costs next to nothing. */
const LOOK_EVERY_MS = 60_000;

const STORIES = {
  outage: 'the service does not answer; calls of the account are held',
  database: 'the ledger cannot be written; calls are held',
  ledger: 'the ledger is being reconciled; calls are held',
} as const;

type Deps = ServiceDeps & Pick<LedgerDeps, 'ledger'>;

interface HeldByOutage {
  readonly account: AccountDeps;
  readonly input: AwaitReleaseInput;
  readonly hold: Extract<AccountHold, { readonly because: 'outage' }>;
  readonly waitedMs: number;
}

export async function awaitRelease(
  deps: Deps,
  input: AwaitReleaseInput,
  asker: Pick<Asker, 'signal' | 'reader' | 'attempt' | 'attemptScheduledAtMs'> & Partial<Pick<Asker, 'activity'>>,
): Promise<{ readonly unexpected: UnexpectedRead } | undefined> {
  const account = accountOf(deps, input.account);
  const { because = 'outage' } = input;
  // Reads may be answered while no lock can be had, so the first attempt always waits: tries of the call itself grow rarer.
  const waitedMs = Math.max(0, asker.attemptScheduledAtMs - input.sinceMs);
  if (because === 'database' && asker.attempt === 1) throw stillHeld(because, { waitedMs, hintMs: SOON_MS });
  const hold = await deps.ledger.holdOf(input.account, { free: false }).catch((error: unknown) => {
    throw notYet(`the ledger cannot be read (${nameOfError(error)}); calls are held`, rereadDelayMs(waitedMs));
  });
  if (because === 'ledger' && hold?.because === 'ledger') throw notYet(STORIES.ledger, rereadDelayMs(waitedMs));
  if (because !== 'outage') return undefined;
  const isHeld = hold?.because === 'outage';
  const charged = isHeld ? await probeService(deps, { account, input, hold, waitedMs }, asker) : undefined;
  const [unexpected = charged] = await chargedBefore(deps, asker.reader.workflowId, asker);
  return unexpected === undefined ? undefined : { unexpected };
}

/** Returns when the calls of the account are released, with what it was charged for reading the balance. */
async function probeService(
  deps: Deps,
  { account, input, hold, waitedMs }: HeldByOutage,
  { signal, reader }: Pick<Asker, 'signal' | 'reader'>,
): Promise<UnexpectedRead | undefined> {
  const probe = await deps.ledger.claimProbe(input.account);
  if (!probe.claimed) {
    const dueInMs = probe.nextAtMs - deps.clock.nowMs();
    const isUnderWay = dueInMs > PROBE_EVERY_MS - PROBE_UNDER_WAY_MS;
    throw stillHeld('outage', { waitedMs, hintMs: isUnderWay ? SOON_MS : dueInMs });
  }
  if (await deps.ledger.isBarred(input.account, 'getBalance')) {
    await deps.ledger.releaseHold(input.account);
    deps.log.warn(
      { account: input.account },
      'the read of the balance was charged before, so nothing checks the service: charged calls are tried again',
    );
    return undefined;
  }
  const request = buildRequest(deps.catalogue.operationOf('getBalance'), { params: {}, flags: [] }, deps.gaps);
  const read = { account, operation: 'getBalance', request, totalMs: PROBE_TOTAL_MS, signal, reader } as const;
  const { exchange, unexpected } = await sendFree(deps, read);
  const back = isBack(exchange);
  if (!back && deps.clock.nowMs() - hold.sinceMs < TRY_AFTER_MS)
    throw stillHeld('outage', { waitedMs, hintMs: PROBE_EVERY_MS });
  await deps.ledger.releaseHold(input.account);
  const held = { account: input.account, failures: hold.failures };
  if (back) deps.log.info(held, 'the service answers again: charged calls continue');
  else deps.log.warn(held, 'the service has not answered free checks for an hour: charged calls are tried again');
  return unexpected;
}

/** Whether the service answers again. A refusal counts: the call itself will report it. The page of a gateway does not. Pure. */
export function isBack(exchange: Exchange): boolean {
  if (exchange.kind !== 'answer') return false;
  const { status } = exchange.head;
  if (status === 408 || status === 429 || status >= 500) return false;
  return status >= 400 || parseStrictJson(exchange.body).ok;
}

/** `waitedMs`: by Temporal's clock alone, as the flow began to wait by it. The clock of a worker may be wrong. */
function stillHeld(because: keyof typeof STORIES, wait: { readonly waitedMs: number; readonly hintMs: number }): Error {
  return notYet(STORIES[because], pollDelayMs(wait));
}

function rereadDelayMs(waitedMs: number): number {
  return Math.min(pollDelayMs({ hintMs: SOON_MS, waitedMs }), LOOK_EVERY_MS);
}
