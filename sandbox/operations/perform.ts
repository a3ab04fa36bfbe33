/**
 * The pipeline of every operation: key → rate → arguments → handler → charge point → answer. Synchronous up to the
 * answer, so no other request can come between the balance check and the charge. Knows nothing of sockets.
 */
import { formatAmount, ZERO_AMOUNT, type Amount, type Operation, present } from '../../src/contract/index.js';
import { jsonAnswer, refuse, type Answer, type Paid } from '../answer.js';
import { sha256Hex } from '../derive.js';
import { hashKey, identify } from '../keys.js';
import type { Work } from '../state/works.js';
import type { ChargeFacts } from '../state/charge-book.js';
import type { World } from '../world.js';
import { HANDLERS } from './handlers.js';
import { readArguments, type RawArguments } from './read-arguments.js';
import type { OperationCall, Verdict, View } from './types.js';
import { buildPendingAnswer } from './verdicts.js';
import { viewOf } from './view.js';
import { buildFinalAnswer, isQuery } from './work-final.js';

export interface Performed {
  readonly answer: Answer;
  /** Number in the charge book, when this call was debited. */
  readonly charge: number | null;
  /** True for the final answer of earlier work. */
  readonly reproduced: boolean;
  /** What must happen before the answer may be written (the webhook that overtakes its 202). */
  readonly before?: Promise<void>;
}

export interface PerformInput {
  readonly operation: Operation;
  readonly apiKey: string | undefined;
  readonly raw: RawArguments;
  readonly connection: number;
  readonly address: string;
}

interface Facts {
  readonly world: World;
  readonly view: View;
  readonly connection: number;
}

export function perform(world: World, input: PerformInput): Performed {
  const performed = performOnce(world, input);
  const { answer } = performed;
  return input.operation.answer === 'legacy' && answer.status >= 400
    ? { ...performed, answer: asPlainText(answer) }
    : performed;
}

function performOnce(world: World, input: PerformInput): Performed {
  const { operation } = input;
  const who = identify(input.apiKey);
  if (typeof who === 'object') return unpaid(who);
  const keyHash = hashKey(input.apiKey ?? '');
  const throttled = refuseTooMany(world, { operation, keyHash, address: input.address });
  if (throttled !== undefined) return unpaid(throttled);
  const read = readArguments(operation, input.raw, world.settings.dialect.emptyBody);
  if (!read.ok) return unpaid(read.answer);
  const call: OperationCall = { operation, account: who, keyHash, ...read.value };
  const view = viewOf(world, call);
  return settle({ world, view, connection: input.connection }, HANDLERS[operation.id](view));
}

function settle(facts: Facts, verdict: Verdict): Performed {
  switch (verdict.kind) {
    case 'refused':
      return unpaid(verdict.answer);
    case 'reproduced':
      return { answer: verdict.answer, charge: null, reproduced: true };
    case 'answered':
      if (answersLater(facts, verdict)) return beginQuery(facts, verdict);
      if (verdict.price > 0) return charge(facts, verdict);
      facts.world.apply(verdict.effects);
      return unpaid(verdict.answer(quote(facts, ZERO_AMOUNT)));
    case 'work':
      return begin(facts, verdict.work, { pending: (paid) => verdict.answer(paid), effects: [] });
  }
}

type Answered = Extract<Verdict, { kind: 'answered' }>;

function charge(facts: Facts, verdict: Answered): Performed {
  const poor = refuseWithoutBalance(facts, verdict.price);
  if (poor !== undefined) return unpaid(poor);
  const paid = quote(facts, verdict.price);
  const answer = verdict.answer(paid);
  const chargeFacts = { paid, requestId: null, bodySha256: sha256Hex(answer.body) };
  const number = facts.world.charge(chargeOf(facts, verdict.cnj, chargeFacts), verdict.effects);
  return { answer, charge: number, reproduced: false };
}

function answersLater({ view }: Facts, verdict: Answered): boolean {
  const { pending, pendingFreePages } = view.settings.dialect;
  const { operation } = view.call;
  if (!operation.eligible202 || operation.id === 'getRequest') return false;
  if (pending.includes(operation.id) || pending.includes('*')) return true;
  return pendingFreePages && operation.charge === 'first page' && verdict.price === 0;
}

/** A query that does not finish within the window: it answers 202, and its own answer becomes the final. */
function beginQuery(facts: Facts, verdict: Answered): Performed {
  const { view } = facts;
  const { settings, nowMs, call } = view;
  const { params, query, body, flags, account, keyHash } = call;
  const { price } = verdict;
  const work: Work = {
    requestId: view.newId(),
    operation: call.operation.id,
    account,
    keyHash,
    params,
    query,
    body,
    flags,
    price,
    cnj: params['cnj'] ?? '',
    createdAtMs: nowMs,
    finishesAtMs: nowMs + settings.queryMs,
    ending: 'SUCESSO',
    finalStatus: 200,
    webhook: 'sent',
    debitAt: price === 0 ? 'answer' : settings.dialect.debitAt,
  };
  const pending = (paid: Paid): Answer => buildPendingAnswer(work, view, paid);
  return begin(facts, work, { pending, final: (paid) => verdict.answer(paid), effects: verdict.effects });
}

function begin(
  facts: Facts,
  work: Work,
  answers: Pick<Answered, 'effects'> & {
    readonly pending: (paid: Paid) => Answer;
    readonly final?: (paid: Paid) => Answer;
  },
): Performed {
  const { world } = facts;
  const poor = work.price === 0 ? undefined : refuseWithoutBalance(facts, work.price);
  if (poor !== undefined) return unpaid(poor);
  const debited = work.debitAt === 'answer' && work.price > 0;
  const paid = quote(facts, debited ? work.price : ZERO_AMOUNT);
  const decided = work.debitAt === 'answer';
  const final = !decided
    ? undefined
    : isQuery(work)
      ? answers.final?.(paid)
      : buildFinalAnswer(work, world.settings.dialect, paid);
  const bodySha256 = final === undefined ? null : sha256Hex(final.body);
  const { charge: number, begun } = world.beginWork(work, {
    ...(debited ? { facts: chargeOf(facts, work.cnj, { paid, requestId: work.requestId, bodySha256 }) } : {}),
    ...(final !== undefined && isQuery(work) ? { final } : {}),
    effects: answers.effects,
  });
  const answer = answers.pending(paid);
  return { answer, charge: number, reproduced: false, ...present({ before: begun }) };
}

function chargeOf(
  { view, connection }: Facts,
  cnj: string,
  facts: Pick<ChargeFacts, 'paid' | 'requestId' | 'bodySha256'>,
): ChargeFacts {
  const { operation, account, keyHash, params, query, body } = view.call;
  const about = sha256Hex(JSON.stringify([operation.id, params, query, body])).slice(0, 16);
  return { operation: operation.id, account, keyHash, cnj, about, reason: 'answer', connection, ...facts };
}

export function unpaid(answer: Answer): Performed {
  return { answer, charge: null, reproduced: false };
}

function quote({ world, view }: Facts, price: Amount): Paid {
  return world.book.quote(view.call.account, price);
}

/** Amounts that running work will be debited at its end are not available any more. */
function refuseWithoutBalance({ world, view }: Facts, price: Amount): Answer | undefined {
  const { call } = view;
  const available = view.balance() - world.works.owed(call.account);
  if (available >= price) return undefined;
  const status = call.operation.answer === 'legacy' ? 402 : world.settings.dialect.noCredit;
  return refuse(
    status,
    'INSUFFICIENT_BALANCE',
    `This call costs ${formatAmount(price)}; the balance does not cover it.`,
  );
}

function refuseTooMany(
  world: World,
  call: { readonly operation: Operation; readonly keyHash: string; readonly address: string },
): Answer | undefined {
  const { rateLimits, dialect } = world.settings;
  const nowMs = world.clock.nowMs();
  const legacy = call.operation.answer === 'legacy';
  const seconds = legacy
    ? world.rates.take(`legacy ${call.keyHash} ${call.address}`, rateLimits.legacyPerMinute, nowMs)
    : world.rates.take(call.keyHash, rateLimits.perMinute, nowMs);
  if (seconds === undefined) return undefined;
  const answer = refuse(429, 'TOO_MANY_REQUESTS', 'Too many requests in this minute.');
  if (dialect.retryAfter === 'none') return answer;
  const retryAfter = dialect.retryAfter === 'date' ? new Date(nowMs + seconds * 1_000).toUTCString() : String(seconds);
  return { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } };
}

/** Errors of the legacy search carry `error` as plain text (interface, rule 11). */
function asPlainText(answer: Answer): Answer {
  const { error } = JSON.parse(answer.body.toString('utf8')) as { error: { message: string } };
  return jsonAnswer(answer.status, { error: error.message }, answer.headers);
}
