/** `tramita settle --where …`: one decision about many charges. Without `--yes` it only lists them. */
import type { Config } from '../../config/index.js';
import { formatAmount, OPERATIONS, ZERO_AMOUNT } from '../../contract/index.js';
import {
  hasKnownCharge,
  listUndecided,
  MOST_UNDECIDED,
  type Intent,
  type UndecidedFilter,
} from '../../ledger/index.js';
import type { ChargeDecision } from '../../protocol/index.js';
import type { CliContext } from '../context.js';
import { EXIT, refuse, usageError, type ExitCode } from '../exit-codes.js';
import { accountNamed } from '../input/account.js';
import { parseWhere } from '../input/settle-filter.js';
import { formatTable, print, printable } from '../output/output.js';
import { shellWord } from '../output/shell-word.js';
import { noteLook } from '../with/note-look.js';
import { readConfig } from '../with/settings.js';
import { refuseOtherSettings, withDatabase } from '../with/with-database.js';
import { refuseOtherFlows } from '../with/namespace-of-flows.js';
import { decideAll, failedText, type Decided } from './decide-charges.js';

export interface SettleMany {
  readonly where: readonly string[];
  readonly decision: ChargeDecision;
  readonly by: string;
  readonly note?: string | undefined;
  /** The work of the only charge that matches. */
  readonly requestId?: string | undefined;
  readonly yes: boolean;
  readonly json: boolean;
  /** How many charges one run decides at most; tests lower the default of 10,000. */
  readonly most?: number;
}

export async function settleMany(context: CliContext, wanted: SettleMany): Promise<ExitCode> {
  const config = readConfig(context);
  const nowMs = Date.now();
  const filter = { ...parseWhere(wanted.where, nowMs), nowMs };
  await refuseOtherSettings(config);
  return withDatabase(config, async (db) => {
    const { most = MOST_UNDECIDED } = wanted;
    const found = await listUndecided(db, filter, most + 1);
    refuse(requestProblem(wanted, found.length));
    const [listed, more] = [found.slice(0, most), found.length > most];
    const leftOut = wanted.decision === 'not-charged' ? listed.filter(hasKnownCharge) : [];
    const intents = listed.filter((intent) => !leftOut.includes(intent));
    if (listed.length === 0) refuseUnknownNames(filter, config);
    await noteLook(db, { by: wanted.by, via: 'settle --where', items: listed.length });
    if (!wanted.yes || intents.length === 0) {
      report(context, wanted, { intents, leftOut, more });
      return wanted.yes && leftOut.length > 0 ? EXIT.needsPerson : EXIT.ok;
    }
    await refuseOtherFlows(context, db);
    const charges = intents.map((intent) => ({ intent, wanted }));
    const done = await decideAll(context, { db, config }, charges);
    reportDone(context, wanted, { done, leftOut, more });
    if (done.some(({ how }) => how === 'failed')) return EXIT.failed;
    return more || leftOut.length > 0 ? EXIT.needsPerson : EXIT.ok;
  });
}

/** A request is the work of one call. Pure. */
function requestProblem({ requestId }: SettleMany, count: number): string | undefined {
  return requestId === undefined || count <= 1
    ? undefined
    : `--request-id belongs to one charge, and ${count} match: narrow --where (workflow=…, operation=…)`;
}

/** Only called if no charge matches: charges of an account that is no longer configured can still be settled. */
function refuseUnknownNames({ account, operation }: UndecidedFilter, config: Config): void {
  if (account !== undefined) accountNamed(config, account, '--where account');
  const ids = [...OPERATIONS, ...config.operations].map(({ id }) => id);
  if (operation !== undefined && !ids.some((id) => id === operation)) {
    throw usageError(
      `--where operation: there is no operation "${printable(operation)}"; "tramita operations" lists them`,
    );
  }
}

const MORE = 'there are more: run it again';

/** `leftOut`: what is not decided in bulk. */
interface Left {
  readonly leftOut: readonly Intent[];
  readonly more: boolean;
}

function leftOutFacts(leftOut: readonly Intent[]): object {
  const rows = leftOut.map((intent) => ({ ...rowOf(intent), charged: formatAmount(intent.charged ?? ZERO_AMOUNT) }));
  return leftOut.length === 0 ? {} : { leftOut: rows };
}

function leftOutText(leftOut: readonly Intent[]): readonly string[] {
  if (leftOut.length === 0) return [];
  const why = 'the service has reported what it charged, so "not-charged" would pay once more';
  const each = leftOut.map(({ workflowId, step }) => `  tramita settle ${shellWord(workflowId)} --step ${step} …`);
  return [`! ${leftOut.length} left out: ${why}. Decide each by itself:`, ...each];
}

function report(
  context: CliContext,
  { decision, json, yes }: SettleMany,
  { intents, leftOut, more }: Left & { readonly intents: readonly Intent[] },
): void {
  const charges = intents.map(rowOf);
  const { count, reserved } = sums(intents);
  const table = formatTable(
    ['SENT', 'STATE', 'OPERATION', 'RESERVED', 'WORKFLOW', 'REASON'],
    charges.map((row) => [row.openedAt, row.state, row.operation, row.reserved, row.workflowId, row.reason ?? '']),
  );
  const plan = `${count} charges, reserved ${reserved}, would be decided "${decision}". Nothing was done: add --yes${more ? `; ${MORE} afterwards` : ''}`;
  const none = leftOut.length === 0 ? ['no undecided charge matches'] : [];
  const lines = count === 0 ? none : [table, `\n${plan}`];
  const facts = { dryRun: !yes, decision, count, reserved, more, charges, ...leftOutFacts(leftOut) };
  print(context, json, facts, [...lines, ...leftOutText(leftOut)]);
}

function reportDone(
  context: CliContext,
  { decision, json, requestId }: SettleMany,
  { done, leftOut, more }: Left & { readonly done: readonly Decided[] },
): void {
  const ended = (end: Decided['how']): readonly Decided[] => done.filter(({ how }) => how === end);
  const [byFlow, inLedger, failed] = [ended('by its flow').length, ended('in the ledger').length, ended('failed')];
  const counts = { ...sums(done.map(({ intent }) => intent)), byFlow, inLedger, more };
  const facts = { dryRun: false, decision, ...counts, ...leftOutFacts(leftOut) };
  print(context, json, { ...facts, failed: failed.map(({ intent, problem }) => ({ ...rowOf(intent), problem })) }, [
    ...failed.map(failedText),
    `decided "${decision}": ${byFlow} by their flows, ${inLedger} in the ledger; failed: ${failed.length}`,
    ...leftOutText(leftOut),
    ...(requestId === undefined ? [] : ended('in the ledger').map(({ intent }) => awaitText(intent, requestId))),
    ...(more ? [MORE] : []),
  ]);
}

/** No flow polls for a charge that was decided in the ledger. */
function awaitText({ account }: Intent, requestId: string): string {
  return `get its answer, free: tramita start awaitRequest --account ${account} --request-id ${requestId}`;
}

function sums(intents: readonly Intent[]): { readonly count: number; readonly reserved: string } {
  const reserved = intents.reduce((sum, intent) => sum + intent.reserved, 0);
  return { count: intents.length, reserved: formatAmount(reserved) };
}

function rowOf({ intentId, account, workflowId, step, operation, state, reserved, reason, openedAtMs }: Intent) {
  return {
    intentId,
    account,
    workflowId,
    step,
    operation,
    state,
    reason,
    reserved: formatAmount(reserved),
    openedAt: new Date(openedAtMs).toISOString(),
  };
}
