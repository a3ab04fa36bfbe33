/**
 * The charged call: intent → age fence → send → spool and settle at once → outcome. One HTTP request, at most one charge,
 * one attempt. It returns values and does not throw: once the request may have been sent, nothing here can lose its answer.
 *
 * No socket is opened before the intent is committed and in the worker's journal. The request is not written if the
 * activity began more than {@link AGE_FENCE_MS} ago. The answer is on disk or in the ledger before a flow learns of it.
 * Cancelling the worker does not cancel the request.
 */
import { isCharged, present } from '../../contract/index.js';
import { AGE_FENCE_MS, FILE_TOTAL_MS, nameOfError } from '../../contract/values/index.js';
import { alarm, judgeExchange, type Exchange } from '../../http/index.js';
import type { Intent, IntentVerdict, JournalEntry, KnownRow, Settlement } from '../../ledger/index.js';
import {
  ID_KEY_FINGERPRINT,
  type CallOutcome,
  type ChargedCallInput,
  type ChargedCallResult,
  type UnexpectedRead,
} from '../../protocol/index.js';
import { callProblem, targetProblem } from './call-problem.js';
import { caseAttributeOf } from '../configured-account.js';
import type { EventDeps, LedgerDeps, RecordDeps, ServiceDeps, TermDeps, WitnessDeps } from '../deps.js';
import { outcomeOfIntent, pollQueueOf } from './outcome-of-intent.js';
import { readFloor } from './read-floor.js';
import { refineJudgement, type RefinedJudgement } from './refine-judgement.js';
import { rememberFacts, rememberForFlows, smallFactsOf } from '../remember/remember-answer.js';
import { journalEntryOf, sendJournaled, type Call } from './send-journaled.js';
import { settleAnswer, type SettledAnswer } from './settle-answer.js';
import { foreignSettlement, settlementOf } from './settlement-of.js';
import { isFileCall } from './stored-file.js';
import { withoutSending } from './without-sending.js';
import { writeIntent, type Attempt } from './write-intent.js';

/** Writing the intent is retried until this age of the call, so that a send still fits under the fence. */
const INTENT_UNTIL_MS = AGE_FENCE_MS - 2_000;
/** Settling is retried until this age of the call; then a free activity settles from the spool. */
const SETTLE_UNTIL_MS = 55_000;
/** The same for an answer that is a file, inside its 11 minutes. */
const FILE_SETTLE_UNTIL_MS = FILE_TOTAL_MS + 45_000;
/** How long to wait for a webhook before polling, if the flow does not say. */
const DEFAULT_PATIENCE_MS = 10 * 60_000;

type Deps = ServiceDeps & LedgerDeps & WitnessDeps & RecordDeps & TermDeps & Pick<EventDeps, 'webhooksSilent'>;

export async function runChargedCall(
  deps: Deps,
  operationId: string,
  input: ChargedCallInput,
  attempt: Attempt,
): Promise<ChargedCallResult> {
  const age = startAge(deps);
  const account = deps.accounts.get(input.account);
  if (account === undefined) {
    return { outcome: 'REFUSED', problem: `input.account "${input.account}" is not configured on this worker` };
  }
  // With another key equal calls get other ids, and would be paid again (docs/decisions/0021).
  if (input.idKey !== undefined && input.idKey !== deps.token(ID_KEY_FINGERPRINT, '')) {
    const cure = 'give the program that started it the TRAMITA_ID_KEY of the workers';
    return { outcome: 'REFUSED', problem: `the flow was started with another id key than that of the worker; ${cure}` };
  }
  const operation = deps.catalogue.operationOf(operationId);
  const { params, flags, body } = input;
  const problem = callProblem(deps, { operation, params, flags, body }) ?? targetProblem(deps, operation, input);
  if (problem !== undefined) return { outcome: 'REFUSED', problem };
  const webhookExpected = operation.announcedByWebhook && (input.webhook ?? account.webhooks);
  const patienceMs = input.webhookPatienceMs ?? DEFAULT_PATIENCE_MS;
  const call: Call = { account, operation, input, webhookExpected, patienceMs, age, epoch: deps.life.epoch() };
  const result = await withLearnedPatience(deps, input, await openAndSend(deps, call, attempt));
  const caseAttribute = caseAttributeOf(deps, account.name, input.params['cnj']);
  return { ...result, ...present({ caseAttribute }) };
}

/**
 * Whether the flow waits for a webhook also depends on whether the account's last webhooks came. This is looked up after the
 * answer is settled, never before a send. The webhook of work that is older than the patience has come or is lost, so the
 * flow does not wait for it. A patience in the flow's input overrides all of this.
 */
async function withLearnedPatience(
  deps: Pick<EventDeps, 'webhooksSilent'> & Pick<ServiceDeps, 'clock'>,
  { account, webhookPatienceMs }: ChargedCallInput,
  result: ChargedCallResult,
): Promise<ChargedCallResult> {
  if (result.outcome !== 'PENDING' || !result.webhookExpected || webhookPatienceMs !== undefined) return result;
  if (deps.clock.nowMs() - result.sinceMs >= result.patienceMs) return { ...result, webhookExpected: false };
  const silent = await deps.webhooksSilent(account).catch(() => false);
  return silent ? { ...result, webhookExpected: false, webhooksSilent: true } : result;
}

async function openAndSend(deps: Deps, call: Call, attempt: Attempt): Promise<ChargedCallResult> {
  const { operation, input, webhookExpected, age } = call;
  const order = { operation: operation.id, input, attempt, webhookExpected, age, untilAgeMs: INTENT_UNTIL_MS };
  const verdict = await writeIntent(deps, order);
  if (verdict.kind !== 'over budget') return followVerdict(deps, call, verdict, attempt);
  const { madeRoom, balance, unexpected } = await readFloor(deps, call.account, { verdict, input });
  const next = madeRoom ? await writeIntent(deps, order) : { ...verdict, ...present({ balance }) };
  const result = await followVerdict(deps, call, next, attempt);
  return { ...result, ...present({ floorRead: unexpected }) };
}

async function followVerdict(
  deps: Deps,
  call: Call,
  verdict: Awaited<ReturnType<typeof writeIntent>>,
  { attempt }: Attempt,
): Promise<ChargedCallResult> {
  const { input, patienceMs, webhookExpected } = call;
  if (verdict.kind === 'away') {
    const { reason } = verdict;
    // An earlier attempt may have been lost at any point, even after its request was sent.
    return attempt > 1
      ? { outcome: 'UNKNOWN', reason, charged: null, reused: false, settled: true }
      : { outcome: 'HELD', because: 'database', sinceMs: deps.clock.nowMs(), reason };
  }
  if (verdict.kind === 'send') return sendAndSettle(deps, call, verdict);
  return withoutSending(deps, verdict, { asked: input, patienceMs, webhookWanted: webhookExpected });
}

async function sendAndSettle(
  deps: Deps,
  call: Call,
  { intent, row }: Extract<IntentVerdict, { kind: 'send' }>,
): Promise<CallOutcome> {
  const entry = journalEntryOf(deps, call, intent);
  const exchange = await sendJournaled(deps, call, entry);
  const refined = judge(deps, call, exchange);
  const settlement = {
    ...foreignSettlement(call.operation, settlementOf(refined.judgement, exchange, intent)),
    ...refined.end,
  };
  const body = exchange.kind === 'answer' ? exchange.body : undefined;
  const settled = await settleWithFacts(deps, call, { intent, row, entry, settlement, body });
  if (settled === undefined) {
    const known = { intentId: intent.intentId, charged: null, reused: false, settled: false };
    return { ...known, outcome: 'UNKNOWN', reason: 'the answer is in the spool' };
  }
  return outcomeOf(deps, call, settled, refined);
}

interface Sent {
  readonly intent: Intent;
  readonly row: KnownRow | undefined;
  readonly entry: JournalEntry;
  readonly settlement: Settlement;
  readonly body: Buffer | undefined;
}

/** Settles the answer and stores what is in it; undefined if only the spool has it. */
async function settleWithFacts(
  deps: Deps,
  { operation, input, age }: Call,
  { intent, row, entry, settlement, body }: Sent,
): Promise<SettledAnswer | undefined> {
  const answered = { params: input.params, ...present({ body }) };
  const isDone = settlement.state === 'done';
  const { read, beside } = isDone ? smallFactsOf(deps, { ...answered, intent }) : {};
  const [settled] = await Promise.all([
    settleAnswer(deps, {
      intent,
      row,
      settlement,
      facts: beside,
      call: entry,
      untilAgeMs: isFileCall(operation) ? FILE_SETTLE_UNTIL_MS : SETTLE_UNTIL_MS,
      age,
    }),
    isDone && beside === undefined ? rememberFacts(deps, { ...answered, intent }, read) : undefined,
  ]);
  if (settled?.intent.state === 'done') {
    const answer = { ...answered, intent: settled.intent };
    await rememberForFlows(deps, answer);
    if (beside !== undefined && !settled.hasFacts) await rememberFacts(deps, answer, read);
  }
  return settled;
}

function outcomeOf(
  deps: Deps,
  call: Call,
  settled: SettledAnswer,
  { judgement, reading }: RefinedJudgement,
): CallOutcome {
  const outcome = outcomeOfIntent(settled.intent, {
    source: settled.intent,
    reading,
    plan: {
      hintMs: judgement.outcome === 'PENDING' ? judgement.hintMs : null,
      webhookExpected: call.webhookExpected,
      patienceMs: call.patienceMs,
      eventSeen: settled.eventSeen,
      ...pollQueueOf(deps, settled.intent.account),
    },
    retryAfterMs: judgement.outcome === 'REJECTED' ? judgement.retryAfterMs : null,
  });
  return { ...outcome, ...present({ unexpected: unexpectedCharge(deps, call, settled.intent) }) };
}

/** The charge of a call that should be free, if it was charged. */
function unexpectedCharge(deps: Deps, { operation, input }: Call, intent: Intent): UnexpectedRead | undefined {
  const { charged } = intent;
  if (isCharged(operation, input.params) || charged === null || charged <= 0) return undefined;
  return { ...alarm(deps, { ...intent, charged }), booked: true };
}

function judge(deps: Deps, { account, operation, input }: Call, exchange: Exchange): RefinedJudgement {
  const judgement = judgeExchange(operation, exchange, account);
  try {
    return refineJudgement(deps, judgement, { operation, exchange, asked: input });
  } catch (error) {
    // A flow of a newer version may ask for a view that is not known here. The answer is kept; the resolver reads it later.
    deps.log.error({ operation: operation.id, error: nameOfError(error) }, 'a paid answer could not be read');
    return { judgement };
  }
}

/** The larger of monotonic and wall-clock age: the first stops in a frozen machine, the second shrinks if the clock is set back. */
function startAge({ clock }: Pick<ServiceDeps, 'clock'>): () => number {
  const wall = clock.nowMs();
  const monotonic = clock.monotonicMs();
  return () => Math.max(clock.nowMs() - wall, clock.monotonicMs() - monotonic);
}
