/** The result of a match for people and machines. It shows lines, times and amounts of the statement, never its texts. Pure. */
import { formatAmount } from '../../contract/index.js';
import { formatTable } from '../output/output.js';
import type { Call } from './call.js';
import type { Verdict } from './judge-call.js';
import { spanOf, type Difference, type Match } from './match-statement.js';
import { rowJson, sumOf, type Statement, type StatementRow } from './statement.js';

export interface MatchReport {
  readonly json: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
  /** Something is left that the command does not decide. */
  readonly needsPerson: boolean;
}

const MOST_LINES = 20;

export function reportMatch(
  match: Match,
  { rows, duplicates }: Statement,
  { sha256, exclusive }: { readonly sha256: string; readonly exclusive: boolean },
): MatchReport {
  const { verdicts, foreign, unclear, differences, missing, paired, outside, problem } = match;
  const count = (wanted: Verdict['verdict']): number => verdicts.filter(({ verdict }) => verdict === wanted).length;
  const counts = {
    charged: count('charged'),
    notCharged: count('not-charged'),
    ambiguous: count('ambiguous'),
    proposed: verdicts.filter(({ proposed }) => proposed).length,
  };
  const span = spanOf(rows);
  const [from, to] = [new Date(span.fromMs).toISOString(), new Date(span.toMs).toISOString()];
  return {
    needsPerson:
      verdicts.some(({ proposed }) => !proposed) ||
      differences.length > 0 ||
      missing.length > 0 ||
      (exclusive && foreign.length > 0),
    json: {
      sha256,
      from,
      to,
      rows: rows.length,
      duplicates,
      paired,
      problem: problem ?? null,
      outside,
      ...counts,
      charges: verdicts.map(verdictJson),
      foreign: foreign.map(rowJson),
      unclear: unclear.map(rowJson),
      differences: differences.map(differenceJson),
      missing: missing.map((call) => ({ ...callJson(call), charged: formatAmount(call.intent.charged ?? 0) })),
    },
    lines: [
      `${rows.length} rows from ${from} to ${to}, ${paired} of them known by their ids, ${duplicates} repeated rows left out; sha256 ${sha256}`,
      ...(problem === undefined ? [] : [`! a charge that is missing from the statement proves nothing: ${problem}`]),
      ...(verdicts.length === 0 ? ['no undecided charge is in the period of the statement'] : [verdictTable(verdicts)]),
      ...(outside === 0 ? [] : [`${outside} undecided charges are outside the period of the statement`]),
      ...listed('charges that we did not make', foreign.map(rowText), formatAmount(sumOf(foreign))),
      ...listed('charges that may be ours, without an id that proves it', unclear.map(rowText)),
      ...listed('amounts that differ', differences.map(differenceText)),
      ...listed(
        'charges of the ledger that the statement does not show',
        missing.map(({ intent }) => `${intent.intentId}  ${intent.operation}  ${formatAmount(intent.charged ?? 0)}`),
      ),
      `charged ${counts.charged}, not charged ${counts.notCharged}, left to a person ${counts.ambiguous}; proposed ${counts.proposed}`,
    ],
  };
}

function listed(title: string, lines: readonly string[], sum?: string): readonly string[] {
  if (lines.length === 0) return [];
  const more = lines.length - MOST_LINES;
  return [
    `${lines.length} ${title}${sum === undefined ? '' : ` (${sum} together)`}:`,
    ...lines.slice(0, MOST_LINES).map((line) => `  ${line}`),
    ...(more > 0 ? [`  … ${more} more: --json has them all`] : []),
  ];
}

function verdictTable(verdicts: readonly Verdict[]): string {
  return formatTable(
    ['VERDICT', 'SENT', 'OPERATION', 'LINES', 'WORKFLOW', 'WHY'],
    verdicts.map(({ verdict, call: { intent }, rows, why }) => {
      const sentAt = new Date(intent.openedAtMs).toISOString();
      const lines = rows.slice(0, 3).map(({ line }) => line);
      const linesText = `${lines.join(' ')}${rows.length > 3 ? ' …' : ''}`;
      return [verdict, sentAt, intent.operation, linesText, intent.workflowId, why];
    }),
  );
}

function callJson({ intent: { intentId, workflowId, step, operation, state, openedAtMs } }: Call): object {
  return { intentId, workflowId, step, operation, state, openedAt: new Date(openedAtMs).toISOString() };
}

function verdictJson({ call, verdict, why, rows, proposed }: Verdict): object {
  return { ...callJson(call), verdict, why, proposed, rows: rows.map(rowJson) };
}

function differenceJson({ call, rows, ledger, statement }: Difference): object {
  return {
    ...callJson(call),
    ledger: formatAmount(ledger),
    statement: formatAmount(statement),
    rows: rows.map(rowJson),
  };
}

function differenceText({ call: { intent }, rows, ledger, statement }: Difference): string {
  const lines = rows.map(({ line }) => line).join(' ');
  return `${intent.intentId}  ${intent.operation}  ledger ${formatAmount(ledger)}, statement ${formatAmount(statement)} (line ${lines})`;
}

function rowText({ line, fromMs, amount }: StatementRow): string {
  return `line ${line}  ${new Date(fromMs).toISOString()}  ${formatAmount(amount)}`;
}
