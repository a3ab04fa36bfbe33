/**
 * The pipeline of every operation: key → arguments → handler → charge point → answer. Synchronous up to the answer, so
 * no other request can come between the look at the balance and the charge. Knows nothing of sockets.
 */
import { randomUUID } from 'node:crypto';
import { formatAmount, ZERO_AMOUNT, type Amount, type Operation } from '../../src/contract/index.js';
import { refuse, type Answer, type Paid } from '../answer.js';
import { sha256Hex } from '../derive.js';
import { hashKey, identify, type AccountName } from '../keys.js';
import type { World } from '../world.js';
import { HANDLERS } from './handlers.js';
import { readArguments, type RawArguments } from './read-arguments.js';
import { buildFinalAnswer } from './refresh-record.js';
import type { OperationCall, Verdict, View } from './types.js';

export interface Performed {
  readonly answer: Answer;
  /** Number in the charge book, when this call was debited. */
  readonly charge: number | null;
  /** True for the final answer of earlier work. */
  readonly reproduced: boolean;
  /** What has to happen before the answer may be written (the webhook that overtakes its 202). */
  readonly before?: Promise<void>;
}

export interface PerformInput {
  readonly operation: Operation;
  readonly apiKey: string | undefined;
  readonly raw: RawArguments;
  readonly connection: number;
}

export function perform(world: World, input: PerformInput): Performed {
  const who = identify(input.apiKey);
  if (who.kind === 'unknown') return unpaid(refuse(401, 'API_KEY_REQUIRED', 'The API key is missing or not valid.'));
  if (who.kind === 'forbidden') return unpaid(refuse(403, 'FORBIDDEN', 'This key may not do this operation.'));
  const read = readArguments(input.operation, input.raw, world.settings.dialect.emptyBody);
  if (!read.ok) return unpaid(read.answer);
  const call: OperationCall = {
    operation: input.operation,
    account: who.account,
    keyHash: hashKey(input.apiKey ?? ''),
    ...read.value,
  };
  const view = viewOf(world, who.account);
  return settle({ world, view, call, verdict: HANDLERS[input.operation.id](call, view), connection: input.connection });
}

function settle(facts: {
  world: World;
  view: View;
  call: OperationCall;
  verdict: Verdict;
  connection: number;
}): Performed {
  const { world, view, call, verdict } = facts;
  switch (verdict.kind) {
    case 'refused':
      return unpaid(verdict.answer);
    case 'reproduced':
      return { answer: verdict.answer, charge: null, reproduced: true };
    case 'free':
      return unpaid(verdict.answer(nothingPaid(view)));
    case 'charged': {
      const poor = refuseWithoutBalance(world, call.account, verdict.price);
      if (poor !== undefined) return unpaid(poor);
      const paid = pay(view, verdict.price);
      const answer = verdict.answer(paid);
      const charge = world.charge({
        call,
        cnj: verdict.cnj,
        paid,
        requestId: null,
        bodySha256: sha256Hex(answer.body),
        connection: facts.connection,
      });
      return { answer, charge, reproduced: false };
    }
    case 'work': {
      const { refresh } = verdict;
      const poor = refuseWithoutBalance(world, call.account, refresh.price);
      if (poor !== undefined) return unpaid(poor);
      const debited = refresh.debitAt === 'answer';
      const paid = debited ? pay(view, refresh.price) : nothingPaid(view);
      const answer = verdict.answer(paid);
      const final = buildFinalAnswer(refresh, world.settings.dialect, paid);
      const { charge, begun } = world.beginRefresh(
        refresh,
        debited
          ? {
              call,
              cnj: refresh.cnj,
              paid,
              requestId: refresh.requestId,
              bodySha256: final === undefined ? null : sha256Hex(final.body),
              connection: facts.connection,
            }
          : undefined,
      );
      return { answer, charge, reproduced: false, ...(begun === undefined ? {} : { before: begun }) };
    }
  }
}

function viewOf(world: World, account: AccountName): View {
  return {
    settings: world.settings,
    ...world.origins,
    nowMs: world.clock.nowMs(),
    startedAtMs: world.startedAtMs,
    balance: () => world.book.balance(account),
    findRefresh: (requestId) => world.refreshes.find(requestId),
    refreshesOf: (cnj) => world.refreshes.ofCase(cnj, account),
    isFinished: (refresh) => world.refreshes.isFinished(refresh),
    paidFor: (refresh) => world.paidFor(refresh),
    newId: () => randomUUID(),
  };
}

function unpaid(answer: Answer): Performed {
  return { answer, charge: null, reproduced: false };
}

function nothingPaid(view: View): Paid {
  return { charged: ZERO_AMOUNT, balanceAfter: view.balance(), metaRequestId: view.newId(), searchLogId: null };
}

function pay(view: View, price: Amount): Paid {
  return {
    charged: price,
    balanceAfter: (view.balance() - price) as Amount,
    metaRequestId: view.newId(),
    searchLogId: view.newId(),
  };
}

/** Work that will be debited at its end is spoken for already. */
function refuseWithoutBalance(world: World, account: AccountName, price: Amount): Answer | undefined {
  const available = world.book.balance(account) - world.refreshes.owed(account);
  if (available >= price) return undefined;
  return refuse(402, 'INSUFFICIENT_BALANCE', `This call costs ${formatAmount(price)}; the balance does not cover it.`);
}
