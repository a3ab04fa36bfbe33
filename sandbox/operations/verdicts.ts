/**
 * Builders of the handlers' verdicts. Most answers are `data` in the envelope, at the operation's price in the
 * settings. Pure.
 */
import { ZERO_AMOUNT, type Amount, type OperationId } from '../../src/contract/index.js';
import { envelope, jsonAnswer, refuse, type Answer, type Paid } from '../answer.js';
import type { CaseTraits } from '../cases/personas.js';
import type { Settings } from '../settings.js';
import { NO_ARGUMENTS, type Work } from '../state/works.js';
import { spell } from './spelling.js';
import type { Effect, OperationHandler, Verdict, View } from './types.js';

interface Terms {
  /** Default: the price of the operation; most have none and are free. */
  readonly price?: Amount;
  /** Default: the case in the path. */
  readonly cnj?: string;
  readonly effects?: readonly Effect[];
  readonly status?: number;
  /** What a search says about itself, in `meta.search`. */
  readonly search?: object;
}

/** `data` in the envelope. */
export function answered(data: unknown, view: View, terms: Terms = {}): Verdict {
  const { status = 200, search, ...rest } = terms;
  return answeredAs((paid) => jsonAnswer(status, envelope(data, paid, view.nowMs, search)), view, rest);
}

/** The same for a record, in the spelling of the dialect. */
export function answeredRecord(record: unknown, view: View, terms?: Terms): Verdict {
  return answered(spell(record, view.settings.dialect), view, terms);
}

/** For an answer in another form than `data` in the envelope. */
export function answeredAs(
  answer: (paid: Paid) => Answer,
  view: View,
  terms: Pick<Terms, 'price' | 'cnj' | 'effects'> = {},
): Verdict {
  const prices: Partial<Record<OperationId, Amount>> = view.settings.prices;
  const price = prices[view.call.operation.id] ?? ZERO_AMOUNT;
  return { kind: 'answered', price, cnj: view.call.params['cnj'] ?? '', effects: [], ...terms, answer };
}

export function refused(status: number, code: string, message: string): Verdict {
  return { kind: 'refused', answer: refuse(status, code, message) };
}

export function refusedCase(): Verdict {
  return refused(404, 'CASE_NOT_FOUND', 'The case is not known.');
}

/** The case in the path, if it exists. */
export function ofCase(
  handler: (about: { readonly cnj: string; readonly traits: CaseTraits }, view: View) => Verdict,
): OperationHandler {
  return (view) => {
    const cnj = view.call.params['cnj'] ?? '';
    const traits = view.traits(cnj);
    return traits.exists ? handler({ cnj, traits }, view) : refusedCase();
  };
}

/** Begins a refresh or a summary of the case: 202 now, its final after the case's own duration. */
export function beginning(
  operation: 'requestRefresh' | 'requestSummary',
  { cnj, traits }: { readonly cnj: string; readonly traits: CaseTraits },
  view: View,
): Verdict {
  const { settings, nowMs } = view;
  const { account, keyHash, flags } = view.call;
  const { ending, finalStatus, webhook } = traits;
  const duration = refreshDurationMs(traits, settings);
  const work: Work = {
    requestId: view.newId(),
    operation,
    account,
    keyHash,
    cnj,
    flags,
    ...NO_ARGUMENTS,
    createdAtMs: nowMs,
    finishesAtMs: duration === null ? null : nowMs + duration,
    ending,
    finalStatus,
    webhook,
    debitAt: settings.dialect.debitAt,
    price: settings.prices[operation],
  };
  return { kind: 'work', work, answer: (paid) => buildPendingAnswer(work, view, paid) };
}

/** null: never. */
function refreshDurationMs(traits: CaseTraits, settings: Settings): number | null {
  if (traits.webhook === 'early') return 0;
  const { slowRefreshMs: slow, refreshMs: ordinary } = settings;
  return { never: null, slow, ordinary }[traits.pace];
}

/** The 202 answer with its hints (interface "Pending asynchronous response"; the other members as observed). */
export function buildPendingAnswer(work: Work, view: View, paid: Paid): Answer {
  const { pollAfterMs, dialect } = view.settings;
  const seconds = Math.max(1, Math.ceil(pollAfterMs / 1_000));
  const statusUrl = `${view.apiUrl}/v1/requests/${work.requestId}`;
  const data = {
    ...(dialect.pendingIdIn === 'body' ? { requestId: work.requestId, statusUrl } : {}),
    status: 'PROCESSANDO',
    message: 'A consulta continua em processamento.',
    submittedAt: new Date(work.createdAtMs).toISOString(),
    pollAfterMs,
    pollAfterSeconds: seconds,
    nextPollAt: new Date(view.nowMs + pollAfterMs).toISOString(),
  };
  const headers = { location: statusUrl, 'retry-after': String(seconds) };
  return jsonAnswer(202, envelope(data, paid, view.nowMs), headers);
}
