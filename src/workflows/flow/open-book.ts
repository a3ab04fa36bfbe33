/** The book of a running flow: it continues the book of the previous run, and the next run gets it. */
import type { CallOutcome, FlowCosts, Progress, UnexpectedRead } from '../../protocol/index.js';
import {
  adoptedCall,
  hasPaid,
  madeBy,
  progressSteps,
  receiptsOf,
  sumSpent,
  unexpectedRecord,
  withRecord,
  type Book,
  type StepRecord,
} from './flow-record.js';

interface RunningBook {
  /** When the first run was started, epoch ms. */
  readonly startedAtMs: number;
  readonly record: (record: StepRecord) => void;
  readonly recordUnexpected: (read: UnexpectedRead) => void;
  /** Sets counts; each replaces an earlier one of its name. */
  readonly count: (more: Book['counts']) => void;
  readonly countOneMore: (name: string) => void;
  /** Shows what other runs have spent instead of what this flow has recorded. */
  readonly showSpent: (spent: FlowCosts['spent']) => void;
  readonly adopted: (step: string) => CallOutcome | undefined;
  readonly paid: () => boolean;
  readonly costs: () => FlowCosts;
  readonly shown: () => Pick<Progress, 'steps' | 'spent' | 'counts'>;
  /** The workflow that made the call of each shown step; undefined for the flow's own calls. */
  readonly madeBy: () => readonly (string | undefined)[];
  readonly handOver: () => Book;
}

export function openBook(before: Book | undefined, runStartedAtMs: number): RunningBook {
  const startedAtMs = before?.startedAtMs ?? runStartedAtMs;
  let records: readonly StepRecord[] = before?.records ?? [];
  let counts: Book['counts'] = before?.counts ?? {};
  let spentElsewhere: FlowCosts['spent'] | undefined;
  const spent = (): FlowCosts['spent'] => spentElsewhere ?? sumSpent(records);
  const record = (given: StepRecord): void => {
    records = withRecord(records, given);
  };
  const count = (more: Book['counts']): void => {
    counts = { ...counts, ...more };
  };
  return {
    startedAtMs,
    record,
    recordUnexpected: (read) => {
      record(unexpectedRecord(records, read));
    },
    count,
    countOneMore: (name) => {
      count({ [name]: (counts[name] ?? 0) + 1 });
    },
    showSpent: (spentByOthers) => {
      spentElsewhere = spentByOthers;
    },
    adopted: (step) => adoptedCall(records, step),
    paid: () => hasPaid(records),
    costs: () => ({ spent: spent(), receipts: receiptsOf(records) }),
    shown: () => ({ steps: progressSteps(records), spent: spent(), counts }),
    madeBy: () => madeBy(records),
    handOver: () => ({ records, counts, startedAtMs }),
  };
}
