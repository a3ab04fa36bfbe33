/**
 * The books of one flow: how each step ended and what it cost. Pure: it computes receipts, spent and the steps of the progress
 * query from what the flow has recorded. The ledger is the authority on money; this is its copy in the history.
 */
import { ZERO_AMOUNT, addAmounts, formatAmount, freeStep, parseAmount, present } from '../../contract/values/index.js';
import { isJsonObject } from '../../contract/json.js';
import {
  MAX_RECEIPTS,
  type CallFacts,
  type CallOutcome,
  type CallOutcomeName,
  type ProgressStep,
  type Receipt,
  type Spent,
  type UnexpectedRead,
} from '../../protocol/index.js';
import {
  either,
  isCount,
  isNull,
  isNumber,
  isText,
  isTrue,
  listOf,
  optional,
  shapeOf,
  where,
  type Is,
} from './shape.js';

export interface StepRecord {
  readonly step: string;
  readonly operation: string;
  readonly ordinal: number;
  /** Undefined while the call is on its way, or held. */
  readonly outcome?: CallOutcome;
  /** Nothing was sent: the call waits for a cap, an equal call, the service or our own database. */
  readonly held?: true;
}

/** The records of a flow's steps, its counts, and when its first run was started; a run hands them to the next one. */
export interface Book {
  readonly records: readonly StepRecord[];
  readonly counts: Readonly<Record<string, number>>;
  /** Epoch ms; absent from runs of older workers. */
  readonly startedAtMs?: number;
}

/** More steps than any flow has in all its runs. */
const MAX_RECORDS = 20_000;

const isRecords = listOf(
  shapeOf<StepRecord>({
    step: isText,
    operation: isText,
    ordinal: isCount,
    held: optional(isTrue),
    // Checked only as far as the sums need it.
    outcome: optional(
      shapeOf<{ outcome: string; charged: string | null }>({ outcome: isText, charged: either(isText, isNull) }),
    ) as Is<CallOutcome | undefined>,
  }),
);

export const isBook = shapeOf<Book>({
  records: where(isRecords, ({ length }) => length <= MAX_RECORDS),
  counts: where(isJsonObject, (counts) => Object.values(counts).every(isNumber)) as Is<Book['counts']>,
  startedAtMs: optional(isCount),
});

/** Replaces the record of the same step and ordinal, or appends it. The reading of an answer is dropped: it may be long. */
export function withRecord(records: readonly StepRecord[], given: StepRecord): readonly StepRecord[] {
  const { outcome } = given;
  const next = outcome?.outcome === 'DONE' ? { ...given, outcome: { ...outcome, reading: {} } } : given;
  const same = (record: StepRecord): boolean => record.step === next.step && record.ordinal === next.ordinal;
  return records.some(same) ? records.map((record) => (same(record) ? next : record)) : [...records, next];
}

/** The record of a read that should have been free: its cost counts as spent. */
export function unexpectedRecord(
  records: readonly StepRecord[],
  { operation, amount, metaRequestId, searchLogId }: UnexpectedRead,
): StepRecord {
  const step = freeStep(operation);
  return {
    step,
    operation,
    ordinal: records.filter((record) => record.step === step).length + 1,
    outcome: {
      outcome: 'DONE',
      reading: {},
      charged: amount,
      reused: false,
      settled: true,
      ...present({ metaRequestId: metaRequestId ?? undefined, searchLogId: searchLogId ?? undefined }),
    },
  };
}

/** How the last call of this step ended. */
export function lastOutcome(records: readonly StepRecord[], step: string): CallOutcome | undefined {
  return records.filter((record) => record.step === step).at(-1)?.outcome;
}

/** The adopted pending call of this step, about which a person may still decide. */
export function adoptedCall(records: readonly StepRecord[], step: string): CallOutcome | undefined {
  const outcome = lastOutcome(records, step);
  return outcome?.outcome === 'PENDING' && outcome.adopted === true ? outcome : undefined;
}

/** The service has reported a charge other than zero. */
export function reportsCharge({ charged }: Pick<CallFacts, 'charged'>): boolean {
  return charged !== null && charged !== '0';
}

/** Outcomes that may have cost money. */
function mayHaveCost(outcome: CallOutcome): boolean {
  const refused = outcome.outcome === 'REJECTED' || outcome.outcome === 'NOT_SENT';
  return !refused || outcome.mayBeCharged === true || reportsCharge(outcome);
}

/** True if this flow itself has paid, or may have paid, for anything: then it parks on causes that can be cured. */
export function hasPaid(records: readonly StepRecord[]): boolean {
  return records.some(({ outcome }) => outcome !== undefined && mayHaveCost(outcome) && outcome.charged !== '0');
}

/** The same for its own calls alone: a charged read that should be free bought nothing that failing would lose. */
export function hasBought(records: readonly StepRecord[]): boolean {
  return hasPaid(records.filter(({ step, operation }) => step !== freeStep(operation)));
}

export function sumSpent(records: readonly StepRecord[]): Spent {
  let known = ZERO_AMOUNT;
  let listed = ZERO_AMOUNT;
  let unknown = 0;
  for (const { outcome } of records) {
    if (outcome === undefined) continue;
    const charged = outcome.charged === null ? undefined : parseAmount(outcome.charged);
    if (charged !== undefined) {
      known = addAmounts(known, charged);
      if (outcome.amountSource === 'listed') listed = addAmounts(listed, charged);
    } else if (mayHaveCost(outcome)) unknown += 1;
  }
  return { known: formatAmount(known), ...(listed === 0 ? {} : { listed: formatAmount(listed) }), unknown };
}

/** A call that may have been charged and was sent again is shown as `UNKNOWN`: its end was never known. */
function shownOutcome({ outcome, mayBeCharged }: CallOutcome): CallOutcomeName {
  return outcome === 'NOT_SENT' && mayBeCharged === true ? 'UNKNOWN' : outcome;
}

/** The newest {@link MAX_RECEIPTS} concluded calls, oldest first. */
export function receiptsOf(records: readonly StepRecord[]): readonly Receipt[] {
  return records
    .flatMap(({ step, operation, outcome }): Receipt[] =>
      outcome === undefined
        ? []
        : [
            {
              step,
              operation,
              outcome: shownOutcome(outcome),
              amount: outcome.charged,
              ...present({ amountSource: outcome.amountSource }),
              metaRequestId: outcome.metaRequestId ?? null,
              ...present({ requestId: outcome.requestId }),
              searchLogId: outcome.searchLogId ?? null,
            },
          ],
    )
    .slice(-MAX_RECEIPTS);
}

/** The workflow that made the call of each of {@link progressSteps}; undefined for the flow's own calls. */
export function madeBy(records: readonly StepRecord[]): readonly (string | undefined)[] {
  return records.slice(-MAX_RECEIPTS).map(({ outcome }) => outcome?.madeBy);
}

export function progressSteps(records: readonly StepRecord[]): readonly ProgressStep[] {
  return records.slice(-MAX_RECEIPTS).map(({ step, operation, outcome, held }) => ({
    step,
    operation,
    outcome: outcome !== undefined ? shownOutcome(outcome) : held === true ? 'HELD' : 'OPEN',
    amount: outcome?.charged ?? null,
    requestId: outcome?.requestId ?? null,
  }));
}
