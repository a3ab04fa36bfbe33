/**
 * The reasons to park, except for spending caps (park-on-budget.ts): the attention of each, which answers are accepted, what each
 * answer does, and how the flow ends if nobody answers. Waiting is free. After thirty days the flow fails with the failure of the
 * cause.
 */
import { formatDuration, goesByStatus, GIVE_UP_AFTER_MS, growingWaitMs, present } from '../../contract/values/index.js';
import { provenPaidProblem, type CallFacts, type FailureType, type SettleChargeInput } from '../../protocol/index.js';
import { CREDENTIALS_AGAIN_MS } from '../flow/asks-after.js';
import { afterLostAnswer, cureOf, failureOfParked, type Curable } from './decide-rejection.js';
import type { ChargedStep } from './step-run.js';
import type { Flow } from '../flow/flow.js';
import { reportsCharge } from '../flow/flow-record.js';

/** Ever more rarely: from its second day on, a parked flow costs at most five Temporal Actions a day. */
const CREDENTIALS_AGAIN = { leastMs: CREDENTIALS_AGAIN_MS, share: 0.5 };
/** Free evidence is looked for again soon, then after half of the time waited: some thirty times in thirty days. */
const EVIDENCE_AGAIN = { leastMs: 20_000, share: 0.5 };

export function evidenceAgainMs(waitedMs: number): number {
  return Math.ceil(growingWaitMs(waitedMs, EVIDENCE_AGAIN));
}

export function credentialsAgainMs(waitedMs: number): number {
  return Math.ceil(growingWaitMs(waitedMs, CREDENTIALS_AGAIN));
}

type ChargeVerdict =
  | { readonly then: 'send again' }
  | { readonly then: 'pending'; readonly requestId?: string }
  /** Something happened to the row: ask the ledger. */
  | { readonly then: 'look again' };

interface UndecidedCharge {
  /** Unknown; unknown because its row was lost; paid, and its answer is lost. */
  readonly attention: 'unknown-charge' | 'ledger-lost' | 'charged-lost';
  readonly facts: CallFacts;
  /** Set if the charge is another flow's: when it was sent. After any decision but `abandon` the step asks the ledger again. */
  readonly elsewhereSinceMs?: number;
}

/** `wakesSeen`: wakes counted before the row was read; a later one is news. */
export async function parkOnCharge(
  flow: Flow,
  step: ChargedStep,
  charge: UndecidedCharge & { readonly wakesSeen: number },
): Promise<ChargeVerdict> {
  const { attention, facts, wakesSeen } = charge;
  const lost = attention === 'charged-lost';
  const byStatus = goesByStatus(step.operation);
  const type = failureOfCharge(charge);
  const verdict = await flow.parkUntilVerdict({
    attention,
    wakesSeen,
    accepts: ['settleCharge', 'wake'],
    waitingFor: `a decision about the charge of ${step.title}`,
    // Evidence may come late: it is looked for again, less and less often.
    lookAgainAfterMs: evidenceAgainMs,
    ...present({ intentId: facts.intentId }),
    decisionProblem: (decision) => provenPaidProblem(decision, facts) ?? lostChargeProblem(decision, lost && !byStatus),
    note: {
      step: step.step,
      story: storyOf(step, charge),
      choices: [
        ...(facts.provenPaid === true ? [] : [`\`not-charged\`: ${notCharged(facts)}`]),
        '`charged` with `requestId` (`--request-id …`): the service knows the request → its answer is polled, free',
        ...withoutRequestId({ byStatus, lost }),
        `\`abandon\`: give up → ends as ${type}, nothing is sent; what it cost or may have cost counts against the caps`,
      ],
    },
    givesUp: {
      type,
      operation: step.operation,
      facts,
      message: `${step.title}: nobody decided about the charge in ${formatDuration(GIVE_UP_AFTER_MS)}. Compare the ledger with the account's statement`,
    },
  });
  return verdict.by === 'decision' ? afterDecision(flow, step, charge, verdict.decision) : { then: 'look again' };
}

function afterDecision(
  flow: Flow,
  step: ChargedStep,
  charge: UndecidedCharge,
  { decision, by, requestId }: SettleChargeInput,
): ChargeVerdict {
  const call = { operation: step.operation, facts: charge.facts };
  if (decision === 'abandon') {
    const ending =
      charge.attention === 'charged-lost'
        ? 'it was charged, and its answer is lost'
        : 'it may have been charged, so it keeps counting against the caps';
    throw flow.fail(failureOfCharge(charge), `${step.title} was abandoned by ${by}; ${ending}`, call);
  }
  if (charge.elsewhereSinceMs !== undefined) return { then: 'look again' };
  if (decision === 'not-charged') return { then: 'send again' };
  if (requestId !== undefined) return { then: 'pending', requestId: requestId.trim().toLowerCase() };
  if (goesByStatus(step.operation)) return { then: 'pending' };
  throw flow.fail(
    'ChargedLost',
    `${step.title} was charged and its answer is lost, decided by ${by}. ${afterLostAnswer(step.operation, flow.settings)}`,
    call,
  );
}

function failureOfCharge({ attention }: UndecidedCharge): 'ChargedLost' | 'UnknownCharge' {
  return attention === 'charged-lost' ? 'ChargedLost' : 'UnknownCharge';
}

/** Parks on what can be cured from outside: credentials, an unreachable or busy service, an account without balance. */
export async function parkUntilResumed(
  flow: Flow,
  { step, title, operation }: Pick<ChargedStep, 'step' | 'title' | 'operation'>,
  cause: {
    readonly attention: Curable;
    readonly facts: CallFacts;
    /** How often the call was tried in a row. */
    readonly tries?: number;
    /** What has to come; by default what the attention needs of the service. */
    readonly waitsFor?: string;
    /** Trying again may cost money, so only a person may cause it, no event. */
    readonly byPersonOnly?: boolean;
    /** Trying again costs nothing: polls and files. */
    readonly free?: boolean;
    /** What a person does or knows before `resume`; by default by the failure that the flow ends with if nobody does. */
    readonly first?: string;
  },
): Promise<void> {
  const { attention, facts, byPersonOnly, tries, waitsFor = WAITS_FOR[cause.attention] } = cause;
  // Without a status there was no answer, or nothing was sent: the reason says which.
  const result = facts.status === undefined ? 'could not be completed' : `got HTTP ${facts.status}`;
  const why = whyBeside(facts);
  const tried = tries === undefined ? '' : ` in ${tries} tries`;
  const type = failureOfParked(attention, facts);
  const first = cause.first ?? FIRST[type] ?? '`tramita doctor` and the status page of the service may say why.';
  const takesEvents = attention === 'stalled' && byPersonOnly !== true;
  const cure =
    attention === 'stalled' ? 'Fix the cause and start again' : cureOf(type, { about: flow.label(), operation });
  await flow.parkUntilVerdict({
    attention,
    waitingFor: attention === 'stalled' ? `${takesEvents ? `${waitsFor}, or ` : ''}a person to try again` : waitsFor,
    accepts: takesEvents ? ['resume', 'wake'] : ['resume'],
    ...(attention === 'credentials' ? { lookAgainAfterMs: credentialsAgainMs } : {}),
    note: {
      step,
      story: `${title} ${result}${why}${tried}. The flow has paid before, so it waits instead of failing. ${first}`,
      choices: [`\`resume\`: try again now; ${costOfTry(cause)}`],
    },
    givesUp: {
      type,
      operation,
      facts,
      message: `${title} ${result}${why}, and nothing changed in ${formatDuration(GIVE_UP_AFTER_MS)}. ${cure}`,
    },
  });
}

/** What a person does before `resume`, by the failure that the flow ends with if nobody does. */
const FIRST: Readonly<Partial<Record<FailureType, string>>> = {
  Unauthorized:
    'Set the right API key of the account (TRAMITA_API_KEY, or what its apiKeyEnv names) and restart the workers.',
  Forbidden: 'Ask the service to allow the operation to this key, or set another key and restart the workers.',
  InsufficientBalance: 'Top up the balance of the account.',
};

const WAITS_FOR = {
  stalled: 'the service',
  budget: 'balance on the account',
  credentials: 'a key that the service accepts',
} as const;

function costOfTry({ free, byPersonOnly }: { readonly free?: boolean; readonly byPersonOnly?: boolean }): string {
  if (free === true) return 'free';
  return byPersonOnly === true ? 'it may cost again' : 'the call is charged if the service accepts it';
}

function notCharged(facts: CallFacts): string {
  const shown = 'the account page shows no charge for it → sent again and charged';
  return reportsCharge(facts)
    ? `${shown} once more; the ${facts.charged} that the service has reported stays in the books`
    : `${shown}; if it was charged after all, paid twice`;
}

/** What `charged` does without a request id. If the answer is known to be lost, it is not accepted without one. */
function withoutRequestId({ byStatus, lost }: Readonly<Record<'byStatus' | 'lost', boolean>>): readonly string[] {
  if (byStatus)
    return [
      '`charged` without `requestId`: paid → continues from the refresh status, free; parks again if that status cannot be read',
    ];
  return lost ? [] : ['`charged` without `requestId`: paid and lost → ends as ChargedLost'];
}

function lostChargeProblem(decision: SettleChargeInput, needsRequestId: boolean): string | undefined {
  if (!needsRequestId || decision.decision !== 'charged' || decision.requestId !== undefined) return undefined;
  return 'it is known that this was charged: give the requestId of the service (--request-id) so that its answer can be polled, or "abandon"';
}

function storyOf(step: ChargedStep, charge: UndecidedCharge): string {
  const { facts } = charge;
  if (charge.elsewhereSinceMs !== undefined) {
    const flow = facts.madeBy === undefined ? '' : ` \`${facts.madeBy}\`,`;
    return `an equal call of another flow,${flow} sent ${new Date(charge.elsewhereSinceMs).toISOString()}, is undecided; nothing was sent here. A decision here decides that call too.`;
  }
  const answer = facts.status === undefined ? 'no answer' : `HTTP ${facts.status}`;
  const why = whyBeside(facts);
  const ledger = facts.intentId === undefined ? '' : ` Ledger row \`${facts.intentId}\`.`;
  const when = facts.openedAtMs === undefined ? '' : ` ${new Date(facts.openedAtMs).toISOString()}`;
  const reserved = facts.reserved === undefined ? '' : `, ${facts.reserved} reserved`;
  const looked = [`our ledger (undecided${reserved})`, ...(facts.looked === undefined ? [] : [facts.looked])].join(
    '; ',
  );
  const lookedAt = new Date(Date.now()).toISOString();
  const whose = facts.madeBy === undefined ? '' : `, a call of \`${facts.madeBy}\`,`;
  return `${step.title}${whose} was sent${when} and got ${answer}${why}.${chargeStory(charge)} Checked at ${lookedAt}: ${looked}.${ledger}`;
}

/** The reason in parentheses, without the status that many reasons begin with. */
function whyBeside({ status, reason = '' }: CallFacts): string {
  const [, said, rest = reason] = /^HTTP (\d+)(?:$|, but |: )(.*)$/s.exec(reason) ?? [];
  const left = said === String(status) ? rest : reason;
  return left === '' ? '' : ` (${left})`;
}

function chargeStory({ attention, facts }: UndecidedCharge): string {
  const { charged, provenPaid, status = 0 } = facts;
  if (!reportsCharge(facts)) {
    // A lost answer that was decided with a request which the service does not know. The answer itself was a success.
    const wasPaid = attention !== 'charged-lost' && isSuccess(status);
    return wasPaid ? ` After HTTP ${status} it counts as paid: \`not-charged\` may pay once more.` : '';
  }
  return provenPaid === true
    ? ` The balance proves that ${charged} was charged for it.`
    : ` The service has reported that it charged ${charged}: \`not-charged\` would pay once more.`;
}

/** A 202 only accepts the work. */
function isSuccess(status: number): boolean {
  return status >= 200 && status < 300 && status !== 202;
}
