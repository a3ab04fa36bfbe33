/** Reads the input of a run into its settings. A bad input, or a start by cron, fails the run at once with `InvalidInput`. */
import type { ApplicationFailure } from '@temporalio/common';
import { log, patched, workflowInfo } from '@temporalio/workflow';
import { isJsonObject, type JsonObject } from '../../contract/json.js';
import { cnjDigits, parseCnj, present, shownName } from '../../contract/values/index.js';
import {
  exactProblem,
  flowFailure,
  idProblem,
  namesProblem,
  type CommonSettings,
  type Parsed,
} from '../../protocol/index.js';

/** `more`: arguments after the input, which are refused. A flow that continues as new reads them with `readCarried` instead. */
export function readInput<T extends CommonSettings>(
  parse: (input: unknown) => Parsed<T>,
  input: unknown,
  more: readonly unknown[] = [],
): T {
  const parsed = parseAsBegun(parse, withOldNulls(input));
  const problem =
    startProblem(more) ?? (parsed.ok ? (personalProblem(input) ?? inexactProblem(input)) : parsed.problem);
  if (parsed.ok && problem === undefined) return parsed.value;
  throw refuseInput(input, problem ?? 'bad input');
}

function personalProblem(input: unknown): string | undefined {
  const problem = namesProblem(input) ?? idProblem('the workflow id', workflowInfo().workflowId);
  return problem === undefined || beganBefore('no-personal-numbers-in-names') ? undefined : problem;
}

function inexactProblem(input: unknown): string | undefined {
  const problem = exactProblem(input);
  return problem === undefined || beganBefore('inexact-numbers-are-refused') ? undefined : problem;
}

/** What `null` meant for these members before it was refused. */
const MEANING_OF_NULL: JsonObject = {
  maxPages: 1,
  pageSize: 1,
  maxPaidChecks: 5,
  concurrency: 20,
  params: {},
  documents: false,
  download: false,
  relist: false,
  fullText: false,
};

function withOldNulls(input: unknown): unknown {
  if (!isJsonObject(input)) return input;
  const nulls = Object.entries(MEANING_OF_NULL).filter(([name]) => input[name] === null);
  return nulls.length === 0 || !beganBefore('null-is-refused') ? input : { ...input, ...Object.fromEntries(nulls) };
}

/** A run from before a check is read as it was then. An input that is good today is read once. */
function parseAsBegun<T>(parse: (input: unknown) => Parsed<T>, input: unknown): Parsed<T> {
  const parsed = parse(input);
  return parsed.ok ? parsed : parse(withOldNumbers(input));
}

/** Check digits that no case number has, and those for which they were taken. */
const TAKEN_FOR: Readonly<Record<string, string>> = { '00': '97', '01': '98', '99': '02' };

function withOldNumbers(input: unknown): unknown {
  if (!isJsonObject(input)) return input;
  const { cnj, cases } = input;
  const taken = { cnj: asTaken(cnj), cases: Array.isArray(cases) ? cases.map(asTaken) : cases };
  const isSame = JSON.stringify(taken) === JSON.stringify({ cnj, cases });
  return isSame || !beganBefore('check-digits-are-those-of-the-number') ? input : { ...input, ...present(taken) };
}

function asTaken(value: unknown): unknown {
  const digits = typeof value === 'string' ? cnjDigits(value) : undefined;
  if (digits === undefined) return value;
  const taken = digits.slice(0, 7) + (TAKEN_FOR[digits.slice(7, 9)] ?? '') + digits.slice(9);
  return parseCnj(taken).ok ? taken : value;
}

/** True for a run from before the check `patch`, or one that continues another: it may have paid, so it ends as before. */
function beganBefore(patch: string): boolean {
  return workflowInfo().continuedFromExecutionRunId !== undefined || !patched(patch);
}

function startProblem(more: readonly unknown[]): string | undefined {
  const { cronSchedule, workflowId } = workflowInfo();
  if (cronSchedule !== undefined && cronSchedule !== '') {
    return `started with cron schedule "${cronSchedule}"; use a Temporal Schedule instead (overlap SKIP, short catch-up)`;
  }
  if (/\p{C}/u.test(workflowId)) return 'the workflow id has a control character, which the ledger cannot hold';
  return more.length === 0 ? undefined : extraArgumentsProblem(more.length);
}

export function extraArgumentsProblem(count: number): string {
  return `started with ${count + 1} arguments; a flow takes one, its input: only a previous run of the same flow may hand on state in a second one`;
}

/** The failure of a start that is refused before anything was done. */
export function refuseInput(input: unknown, problem: string): ApplicationFailure {
  log.warn('the flow fails', { failure: 'InvalidInput' });
  return flowFailure('InvalidInput', `${problem}. Nothing was sent`, {
    account: accountOf(input),
    spent: { known: '0', unknown: 0 },
    receipts: [],
  });
}

function accountOf(input: unknown): string {
  const account: unknown =
    typeof input === 'object' && input !== null && 'account' in input ? input.account : undefined;
  return typeof account === 'string' ? shownName(account) : 'default';
}
