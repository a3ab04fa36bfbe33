/**
 * Where a flow waits for a person: which attention, which answers are accepted, what each does, and
 * how it ends when nobody comes. The default costs nothing. Thirty days, then the failure of the cause.
 */
import { formatDuration, present, GIVE_UP_AFTER_MS } from '../../contract/values/index.js';
import { provenPaidProblem, type CallFacts, type CallHeld, type SettleChargeInput } from '../../protocol/index.js';
import type { ChargedStep } from './step-run.js';
import type { Flow } from '../flow/flow.js';

/**
 * Refused credentials are tried again by themselves: a key may have been restored at the service. Every 15 minutes at first,
 * then ever more rarely (a twentieth of the time waited), so that thirty days stay far below the limits of a history.
 */
const CREDENTIALS_AGAIN_MS = 15 * 60_000;
const CREDENTIALS_AGAIN_SHARE = 0.05;
const EVIDENCE_AGAIN_MS = 20_000;

export type ChargeVerdict =
  | { readonly then: 'send again' }
  | { readonly then: 'pending'; readonly requestId?: string }
  /** Something happened to the row: ask the ledger. */
  | { readonly then: 'look again' };

/**
 * Parks on an unknown charge (`unknown-charge`), whose row was lost (`ledger-lost`), or whose answer
 * is lost (`charged-lost`). With
 * `elsewhereSinceMs` the charge is another flow's: after any decision but `abandon` the step asks the ledger again.
 */
export async function parkOnCharge(
  flow: Flow,
  step: ChargedStep,
  charge: {
    readonly attention: 'unknown-charge' | 'ledger-lost' | 'charged-lost';
    readonly facts: CallFacts;
    readonly elsewhereSinceMs?: number;
    /** Wakes counted before the row was looked at: a later one is news. */
    readonly wakesSeen: number;
  },
): Promise<ChargeVerdict> {
  const lost = charge.attention === 'charged-lost';
  const byStatus = step.operation === 'requestRefresh';
  const verdict = await flow.parkUntilVerdict({
    attention: charge.attention,
    waitingFor: `a decision about the charge of ${step.title}`,
    accepts: ['settleCharge', 'wake'],
    wakesSeen: charge.wakesSeen,
    giveUpAfterMs: GIVE_UP_AFTER_MS,
    // Evidence may come late: it is looked for again, ever more rarely.
    lookAgainAfterMs: evidenceAgainMs,
    ...present({ intentId: charge.facts.intentId }),
    decisionProblem: (decision) =>
      provenPaidProblem(decision, charge.facts) ?? lostChargeProblem(decision, lost && !byStatus),
    note: {
      step: step.step,
      story: storyOf(step, charge),
      choices: [
        ...(charge.facts.provenPaid === true
          ? []
          : ['`not-charged`: the account page shows no charge for it → sent again']),
        '`charged` with `requestId`: the service knows the request → its answer is polled, free',
        ...withoutRequestId({ byStatus, lost }),
        `\`abandon\`: give up → ends as ${lost ? 'ChargedLost' : 'UnknownCharge'}`,
      ],
    },
  });
  const call = { operation: step.operation, facts: charge.facts };
  switch (verdict.by) {
    case 'wake':
    case 'timer':
    case 'resume':
      return { then: 'look again' };
    case 'giving up':
      throw flow.fail(
        lost ? 'ChargedLost' : 'UnknownCharge',
        `${step.title}: nobody decided about the charge in ${formatDuration(GIVE_UP_AFTER_MS)}. Compare the ledger with the account's statement`,
        call,
      );
    case 'decision':
      return afterDecision(flow, step, { ...charge, decision: verdict.decision });
  }
}

function afterDecision(
  flow: Flow,
  step: ChargedStep,
  charge: {
    readonly attention: 'unknown-charge' | 'ledger-lost' | 'charged-lost';
    readonly facts: CallFacts;
    readonly elsewhereSinceMs?: number;
    readonly decision: SettleChargeInput;
  },
): ChargeVerdict {
  const { decision, by, requestId } = charge.decision;
  const call = { operation: step.operation, facts: charge.facts };
  if (decision === 'abandon') {
    const type = charge.attention === 'charged-lost' ? 'ChargedLost' : 'UnknownCharge';
    throw flow.fail(
      type,
      `${step.title} was abandoned by ${by}; whether it was charged stays open in the ledger`,
      call,
    );
  }
  if (charge.elsewhereSinceMs !== undefined) return { then: 'look again' };
  if (decision === 'not-charged') return { then: 'send again' };
  if (requestId !== undefined) return { then: 'pending', requestId: requestId.trim().toLowerCase() };
  if (step.operation === 'requestRefresh') return { then: 'pending' };
  throw flow.fail(
    'ChargedLost',
    `${step.title} was charged and its answer is lost, decided by ${by}. Start again (it costs again) if the answer is still needed`,
    call,
  );
}

/** Parks on what can be cured from outside: credentials, an unreachable or busy service, an account without balance. */
export async function parkUntilResumed(
  flow: Flow,
  step: Pick<ChargedStep, 'step' | 'title' | 'operation'>,
  cause: {
    readonly attention: 'stalled' | 'budget' | 'credentials';
    readonly facts: CallFacts;
    /** Trying again may cost money that no event may spend. */
    readonly byPersonOnly?: boolean;
  },
): Promise<void> {
  const verdict = await flow.parkUntilVerdict({
    attention: cause.attention,
    waitingFor: WAITS_FOR[cause.attention],
    accepts: cause.attention === 'stalled' && cause.byPersonOnly !== true ? ['resume', 'wake'] : ['resume'],
    giveUpAfterMs: GIVE_UP_AFTER_MS,
    ...(cause.attention === 'credentials' ? { lookAgainAfterMs: credentialsAgainMs } : {}),
    note: {
      step: step.step,
      story: `${step.title} got ${cause.facts.status === undefined ? 'no answer' : `HTTP ${cause.facts.status}`}${cause.facts.reason === undefined ? '' : ` (${cause.facts.reason})`}. The flow has paid before, so it waits instead of failing.`,
      choices: ['`resume`: try again now'],
    },
  });
  if (verdict.by !== 'giving up') return;
  throw flow.fail(
    failureOf(cause.attention, cause.facts),
    `${step.title}: still ${cause.attention} after ${formatDuration(GIVE_UP_AFTER_MS)}`,
    {
      operation: step.operation,
      facts: cause.facts,
    },
  );
}

/** Free evidence is looked for again soon, then after half of the time waited: some thirty times in thirty days. */
export function evidenceAgainMs(waitedMs: number): number {
  return Math.max(EVIDENCE_AGAIN_MS, Math.ceil(waitedMs / 2));
}

export function credentialsAgainMs(waitedMs: number): number {
  return Math.max(CREDENTIALS_AGAIN_MS, Math.ceil(waitedMs * CREDENTIALS_AGAIN_SHARE));
}

/** A cap or the floor stops the next call. A flow that has paid nothing fails at once instead. */
export async function parkOnBudget(
  flow: Flow,
  step: ChargedStep,
  held: Extract<CallHeld, { because: 'budget' }>,
): Promise<void> {
  const what = BUDGETS[held.cap];
  const story = `${step.title} needs ${held.needed} and would pass ${what} of ${held.limit}`;
  if (!flow.paid()) {
    throw flow.fail('BudgetExceeded', `${story}; nothing was sent. Raise the limit or wait, then start again`, {
      operation: step.operation,
    });
  }
  const verdict = await flow.parkUntilVerdict({
    attention: 'budget',
    waitingFor: `room under ${what}`,
    accepts: ['resume'],
    giveUpAfterMs: GIVE_UP_AFTER_MS,
    note: {
      step: step.step,
      story: `${story}. Nothing was sent.`,
      choices: [
        '`resume`: check again',
        ...(held.cap === 'flow' && flow.settings.maxSpend !== undefined
          ? ['`resume` with `maxSpend`: check again under a larger cap of this flow']
          : []),
      ],
    },
  });
  if (verdict.by === 'giving up') {
    throw flow.fail('BudgetExceeded', `${story}, for ${formatDuration(GIVE_UP_AFTER_MS)}`, {
      operation: step.operation,
    });
  }
}

const BUDGETS = {
  flow: 'the cap of this flow',
  day: 'the day cap of the account',
  balance: 'the balance floor of the account',
  shared: 'the budget of the portfolio',
} as const;

const WAITS_FOR = {
  stalled: 'the service, or a person to try again',
  budget: 'balance on the account',
  credentials: 'a key that the service accepts',
} as const;

function failureOf(
  attention: 'stalled' | 'budget' | 'credentials',
  facts: CallFacts,
): 'Unreachable' | 'InsufficientBalance' | 'Unauthorized' | 'Forbidden' {
  if (attention === 'budget') return 'InsufficientBalance';
  if (attention === 'credentials') return facts.status === 403 ? 'Forbidden' : 'Unauthorized';
  return 'Unreachable';
}

/** What `charged` alone does; a charge that is known to be lost takes it only with a request id. */
function withoutRequestId({
  byStatus,
  lost,
}: {
  readonly byStatus: boolean;
  readonly lost: boolean;
}): readonly string[] {
  if (byStatus) return ['`charged` without `requestId`: paid → goes on by the refresh status, free'];
  return lost ? [] : ['`charged` without `requestId`: paid and lost → ends as ChargedLost'];
}

function lostChargeProblem(decision: SettleChargeInput, needsRequestId: boolean): string | undefined {
  if (!needsRequestId || decision.decision !== 'charged' || decision.requestId !== undefined) return undefined;
  return 'this charge is known: give the requestId of the service so that its answer can be polled, or "abandon"';
}

function storyOf(
  step: ChargedStep,
  charge: { readonly facts: CallFacts; readonly elsewhereSinceMs?: number; readonly attention: string },
): string {
  const { facts } = charge;
  if (charge.elsewhereSinceMs !== undefined) {
    return `an equal call of another flow, sent ${new Date(charge.elsewhereSinceMs).toISOString()}, is undecided; nothing was sent here. A decision here is a decision there.`;
  }
  const answer = facts.status === undefined ? 'no answer' : `HTTP ${facts.status}`;
  const why = facts.reason === undefined ? '' : ` (${facts.reason})`;
  const ledger = facts.intentId === undefined ? '' : ` Ledger row \`${facts.intentId}\`.`;
  const when = facts.openedAtMs === undefined ? '' : ` ${new Date(facts.openedAtMs).toISOString()}`;
  const looked = ['our ledger (it does not know)', ...(facts.looked === undefined ? [] : [facts.looked])].join('; ');
  const lookedAt = new Date(Date.now()).toISOString();
  const told = chargeStory(facts);
  return `${step.title} was sent${when} and got ${answer}${why}.${told} Looked at, ${lookedAt}: ${looked}.${ledger}`;
}

function chargeStory({ charged, provenPaid }: CallFacts): string {
  if (charged === null || charged === '0') return '';
  return provenPaid === true
    ? ` The balance has proved that ${charged} was charged for it.`
    : ` The service has told that it charged ${charged}: \`not-charged\` would pay once more.`;
}
