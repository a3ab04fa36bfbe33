/**
 * Waits out an outage for a flow whose call was held: one look an attempt, repeated by the server, so a wait of any length
 * adds no history events. Once a minute one attempt of all processes reads the balance, which is free; any answer of the
 * service about it lets the account's calls go on. Where that look has been seen charging it is not made: the calls try
 * themselves, and the brake is pulled again if they fail.
 */
import { buildRequest } from '../../contract/index.js';
import { parseStrictJson, pollDelayMs, type Exchange } from '../../http/index.js';
import type { AwaitReleaseInput } from '../../protocol/index.js';
import type { ActivityDeps } from '../deps.js';
import { sendFree, type FreeRead } from './free-read.js';
import { impossible, notYet } from '../to-failure.js';

const PROBE_TOTAL_MS = 20_000;
const PROBE_EVERY_MS = 60_000;
/** A look of somebody else may be under way: its result is known by then. */
const PROBE_UNDER_WAY_MS = 25_000;
const SOON_MS = 3_000;
/** Perhaps only the balance is out: once an hour the calls try themselves, as far as their slots go. */
const TRY_AFTER_MS = 3_600_000;

export async function awaitRelease(
  deps: ActivityDeps,
  input: AwaitReleaseInput,
  asker: Pick<FreeRead, 'signal' | 'reader'>,
): Promise<void> {
  const account = deps.accounts.get(input.account);
  if (account === undefined) throw impossible(`account "${input.account}" is not configured on this worker`);
  const hold = await deps.ledger.holdOf(input.account, { free: false });
  if (hold?.because !== 'outage') return;

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
    ...{ account, operation: 'getBalance', request, totalMs: PROBE_TOTAL_MS },
    ...asker,
  });
  const back = isBack(exchange);
  if (!back && deps.clock.nowMs() - hold.sinceMs < TRY_AFTER_MS) throw stillHeld(deps, input, PROBE_EVERY_MS);
  await deps.ledger.releaseHold(input.account);
  const held = { account: input.account, failures: hold.failures };
  if (back) deps.log.info(held, 'the service answers again: charged calls go on');
  else deps.log.warn(held, 'an hour without an answer to free looks: charged calls try again');
}

/** A refusal is an answer too: the call itself will tell the flow. A page of a gateway is not. Pure. */
export function isBack(exchange: Exchange): boolean {
  if (exchange.kind !== 'answer') return false;
  const { status } = exchange.head;
  if (status === 408 || status === 429 || status >= 500) return false;
  return status >= 400 || parseStrictJson(exchange.body).ok;
}

function stillHeld(deps: ActivityDeps, { sinceMs }: AwaitReleaseInput, hintMs: number): Error {
  const waitedMs = Math.max(0, deps.clock.nowMs() - sinceMs);
  return notYet('the service does not answer; calls of the account wait unsent', pollDelayMs({ hintMs, waitedMs }));
}
