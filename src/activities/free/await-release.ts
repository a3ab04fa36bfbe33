/**
 * Waits out what holds the call of a flow: one look an attempt, repeated by the server, so a wait of any length adds no history
 * events. An outage of the service: once a minute one attempt of all processes reads the balance, which is free; any answer
 * of the service about it lets the account's calls go on. Where that look has been seen charging it is not made: the calls
 * try themselves, and the brake is pulled again if they fail. Our own database: until it answers a read. A ledger that may
 * have forgotten: until it is reconciled.
 */
import { buildRequest } from '../../contract/index.js';
import { nameOfError, PROBE_EVERY_MS } from '../../contract/values/index.js';
import { parseStrictJson, pollDelayMs, sendFree, type Exchange } from '../../http/index.js';
import type { AwaitReleaseInput } from '../../protocol/index.js';
import type { Asker } from '../asker.js';
import { accountOf } from '../configured-account.js';
import type { LedgerDeps, ServiceDeps } from '../deps.js';
import { notYet } from '../to-failure.js';

const PROBE_TOTAL_MS = 20_000;
/** A look of another process may be under way: its result is known by then. */
const PROBE_UNDER_WAY_MS = 25_000;
const SOON_MS = 3_000;
/** Perhaps only the balance is out: once an hour the calls try themselves, as far as their slots go. */
const TRY_AFTER_MS = 3_600_000;
/** A read of our own database at least this often: it costs next to nothing. */
const LOOK_EVERY_MS = 60_000;

const STORIES = {
  outage: 'the service does not answer; calls of the account wait unsent',
  database: 'the ledger cannot be written; calls wait unsent',
  ledger: 'the ledger is being reconciled; calls wait unsent',
} as const;

type Deps = ServiceDeps & Pick<LedgerDeps, 'ledger'>;

export async function awaitRelease(
  deps: Deps,
  input: AwaitReleaseInput,
  { signal, reader, attempt }: Pick<Asker, 'signal' | 'reader' | 'attempt'>,
): Promise<void> {
  const account = accountOf(deps, input.account);
  const { because = 'outage' } = input;
  // Reads may be answered while no lock can be got: longer and longer pauses between two tries of the call itself.
  if (because === 'database' && attempt === 1) throw stillHeld(deps, input, SOON_MS);
  const hold = await deps.ledger.holdOf(input.account, { free: false }).catch((error: unknown) => {
    const waitMs = Math.min(delayMs(deps, input, SOON_MS), LOOK_EVERY_MS);
    throw notYet(`${STORIES[because]} (${nameOfError(error)})`, waitMs);
  });
  if (because === 'ledger' && hold?.because === 'ledger') {
    throw notYet(STORIES.ledger, Math.min(delayMs(deps, input, SOON_MS), LOOK_EVERY_MS));
  }
  if (because !== 'outage' || hold?.because !== 'outage') return;

  const probe = await deps.ledger.claimProbe(input.account);
  if (!probe.claimed) {
    const dueInMs = probe.nextAtMs - deps.clock.nowMs();
    throw stillHeld(deps, input, dueInMs > PROBE_EVERY_MS - PROBE_UNDER_WAY_MS ? SOON_MS : dueInMs);
  }
  if (await deps.ledger.isBarred(input.account, 'getBalance')) {
    await deps.ledger.releaseHold(input.account);
    deps.log.warn({ account: input.account }, 'no free look at the service is possible: charged calls try again');
    return;
  }
  const request = buildRequest(deps.catalogue.operationOf('getBalance'), { params: {}, flags: [] }, deps.gaps);
  const { exchange } = await sendFree(deps, {
    account,
    operation: 'getBalance',
    request,
    totalMs: PROBE_TOTAL_MS,
    signal,
    reader,
  });
  const back = isBack(exchange);
  if (!back && deps.clock.nowMs() - hold.sinceMs < TRY_AFTER_MS) throw stillHeld(deps, input, PROBE_EVERY_MS);
  await deps.ledger.releaseHold(input.account);
  const held = { account: input.account, failures: hold.failures };
  if (back) deps.log.info(held, 'the service answers again: charged calls go on');
  else deps.log.warn(held, 'an hour without an answer to free looks: charged calls try again');
}

/** A refusal is an answer too: the call itself will report it to the flow. A page of a gateway is not. Pure. */
export function isBack(exchange: Exchange): boolean {
  if (exchange.kind !== 'answer') return false;
  const { status } = exchange.head;
  if (status === 408 || status === 429 || status >= 500) return false;
  return status >= 400 || parseStrictJson(exchange.body).ok;
}

function stillHeld(deps: Deps, input: AwaitReleaseInput, hintMs: number): Error {
  return notYet(STORIES[input.because ?? 'outage'], delayMs(deps, input, hintMs));
}

function delayMs({ clock }: Pick<ServiceDeps, 'clock'>, { sinceMs }: AwaitReleaseInput, hintMs: number): number {
  return pollDelayMs({ hintMs, waitedMs: Math.max(0, clock.nowMs() - sinceMs) });
}
