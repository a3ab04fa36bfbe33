/** `tramita ledger check`: finds what needs a person in the ledger. Exit code 3 if something does. */
import { join } from 'node:path';
import type { Command } from 'commander';
import {
  DAY_MS,
  FILE_OPEN_AT_MOST_MS,
  formatAmount,
  MINUTE_MS,
  OPEN_AT_MOST_MS,
  OPERATIONS,
  PENDING_AT_MOST_MS,
  present,
  withExtraOperations,
  type Amount,
} from '../../contract/index.js';
import type { Config } from '../../config/index.js';
import { checkLedger, createSpool, unknownIntents, type AccountCheck, type Drift } from '../../ledger/index.js';
import type { Database } from '../../store/index.js';
import type { CommandSetup } from '../context.js';
import { checkLife } from '../doctor/check-database.js';
import { EXIT } from '../exit-codes.js';
import { accountNames } from '../input/account.js';
import { parseSince } from '../input/parse-time.js';
import { JSON_OPTION, print } from '../output/output.js';
import { readConfig } from '../with/settings.js';
import { withDatabase } from '../with/with-database.js';
import { createFilesCheck, fileFindings, rowsFinding, type CheckFinding } from './check-files.js';

/** The sweeper takes rows after 5 minutes, calls for files after 15; one minute more for its round. */
const STUCK_AFTER_MS = OPEN_AT_MOST_MS + MINUTE_MS;
const FILE_STUCK_AFTER_MS = FILE_OPEN_AT_MOST_MS + MINUTE_MS;
const SINCE = '30d';

interface Flags {
  readonly account?: string;
  readonly since: string;
  readonly files: boolean;
  readonly json?: boolean;
}

export function addLedgerCheck(ledger: Command, { context, run }: CommandSetup): void {
  ledger
    .command('check')
    .description('find undecided charges, lost answers, and a balance that our charges do not explain')
    .option('--account <name>', 'only this account')
    .option(
      '--since <time>',
      'compare balances from then on: how long ago (7d), a day (São Paulo) or an ISO time',
      SINCE,
    )
    .option('--no-files', 'do not ask the file store for every paid file')
    .option(...JSON_OPTION)
    .action(
      run(async ({ account: only, since, files: asksFiles, json }: Flags) => {
        const config = readConfig(context);
        const accounts = accountNames(config, only);
        const nowMs = Date.now();
        const sinceMs = parseSince(since, nowMs);
        const found = await withDatabase(config, (db) =>
          readState(db, config, { accounts, nowMs, sinceMs, asksFiles }),
        );
        const { checks, spooledWithoutRow, ledger, fileStore } = found;
        const judged = checks.map((check) => ({
          check,
          findings: [
            ...findingsOf(check, config.accounts[check.account]?.exclusive ?? false),
            ...fileFindings(check, config),
          ],
        }));
        const spooled = spooledWithoutRow.length;
        const problems = [
          ...ledger,
          ...(fileStore === undefined ? [] : [`paid files were not checked: ${fileStore}; see tramita doctor`]),
          ...(spooled === 0
            ? []
            : [`${spooled} spooled answers without a ledger row: inspect the spool of TRAMITA_FILES_DIR`]),
        ];
        const needsPerson = problems.length > 0 || judged.some(({ findings }) => findings.some(({ act }) => act));
        const facts = {
          needsPerson,
          since: new Date(sinceMs).toISOString(),
          ledger,
          ...present({ fileStore }),
          spooledWithoutRow,
          accounts: judged.map(({ check, findings }) => toJson(check, findings)),
        };
        print(context, json, facts, [
          ...problems.map((text) => `! ${text}`),
          ...judged.map(({ check, findings }) => textOf(check, findings)),
        ]);
        return needsPerson ? EXIT.needsPerson : EXIT.ok;
      }),
    );
}

interface CheckOptions {
  readonly accounts: readonly string[];
  readonly nowMs: number;
  readonly sinceMs: number;
  readonly asksFiles: boolean;
}

/** `ledger`: problems of the ledger as a whole. `fileStore`: why the store could not be asked. */
async function readState(db: Database, config: Config, { asksFiles, ...options }: CheckOptions) {
  const { operations } = withExtraOperations(OPERATIONS, config.operations);
  const fileCalls = operations.filter(({ answer }) => answer === 'pdf').map(({ id }) => id);
  const files = createFilesCheck(db, config, asksFiles);
  const life = await checkLife(db);
  const accounts = await checkLedger(db, {
    ...options,
    openAtMostMs: STUCK_AFTER_MS,
    slow: { operations: fileCalls, olderThanMs: FILE_STUCK_AFTER_MS },
    goneFiles: files.gone,
  });
  const checks = await Promise.all(
    accounts.map(async (check) => ({ ...check, lostDocuments: await files.lostDocuments(check.account) })),
  );
  const spooledWithoutRow = await orphansOf(config, (ids) => unknownIntents(db, ids));
  return { checks, spooledWithoutRow, ledger: life.map(({ text }) => text), fileStore: files.problem() };
}

const UNDECIDED_AS: Readonly<Record<AccountCheck['undecided'][number]['state'], string>> = {
  unknown: 'unknown charges',
  charged_lost: 'charged calls with a lost answer',
  pending: `calls pending for more than ${PENDING_AT_MOST_MS / DAY_MS} days, whose charge was never reported`,
};

/** The findings from the figures of one account. Pure. */
export function findingsOf(check: AccountCheck, exclusive: boolean): readonly CheckFinding[] {
  const { chain, stuckOpen, undecided, conflicts, lostOriginals, lostBodies, droppedBodies, unexpected, wrongSums } =
    check;
  const info = (figure: number, text: string): CheckFinding[] => (figure === 0 ? [] : [{ act: false, text }]);
  return [
    ...undecided.map(({ state, age, count, reserved }) => ({
      act: true,
      text: `${count} ${UNDECIDED_AS[state]}, ${age} old, reserved ${formatAmount(reserved)}`,
    })),
    ...rowsFinding(stuckOpen, 'rows open for too long (does a worker run?)'),
    ...rowsFinding(conflicts, 'late answers that contradict a decision'),
    ...rowsFinding(lostOriginals, 'rows whose original is missing'),
    ...rowsFinding(lostBodies, 'paid answers that are not stored'),
    ...rowsFinding(wrongSums, 'running sums that differ from the rows'),
    ...rowsFinding(unexpected, 'reads that should be free were charged; no flow makes them on its own for 30 days'),
    ...info(
      droppedBodies,
      `${droppedBodies} paid answers were deleted on purpose, by retention or an erasure; they were not checked`,
    ),
    ...info(
      chain.untold,
      `according to the balance, charges that were never reported exceed what was reserved by ${formatAmount(chain.untold)}`,
    ),
    ...drift(
      chain.down,
      exclusive,
      'less than our charges explain: others spent, or a charge was higher than reported',
    ),
    ...drift(chain.up, exclusive, 'more than our charges explain: a top-up or a refund'),
  ];
}

function drift(amount: Amount, exclusive: boolean, text: string): readonly CheckFinding[] {
  if (amount === 0) return [];
  const why = exclusive ? '; the account is exclusive, so this has to be explained' : '';
  return [{ act: exclusive, text: `the balance is ${formatAmount(amount)} ${text}${why}` }];
}

function textOf({ account, chain, chargedBy }: AccountCheck, findings: readonly CheckFinding[]): string {
  const { readings, charged, lastBalance, drifts } = chain;
  const balance = lastBalance === null ? 'no balance known' : `last balance ${formatAmount(lastBalance)}`;
  return [
    `${account}: ${readings} balances compared, charged ${formatAmount(charged)}${unreportedText(chargedBy)}, ${balance}`,
    ...findings.map(({ act, text }) => `  ${act ? '!' : '-'} ${text}`),
    ...drifts.map(
      ({ atMs, amount, intentId }) =>
        `    ${new Date(atMs).toISOString()}  ${formatAmount(amount as Amount)}  row ${intentId}`,
    ),
    ...(findings.length === 0 ? ['  nothing to do'] : []),
  ].join('\n');
}

/** The part of the sum that no answer reported. */
function unreportedText({ listed, evidence }: AccountCheck['chargedBy']): string {
  const parts = [
    ...(listed === 0 ? [] : [`${formatAmount(listed)} of it by the price list`]),
    ...(evidence === 0 ? [] : [`${formatAmount(evidence)} of it by evidence`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function toJson({ chain, chargedBy, undecided, ...ids }: AccountCheck, findings: readonly CheckFinding[]): object {
  const decimal = (amount: Amount | null): string | null => (amount === null ? null : formatAmount(amount));
  return {
    ...ids,
    undecided: undecided.map((row) => ({ ...row, reserved: formatAmount(row.reserved) })),
    balance: {
      readings: chain.readings,
      first: decimal(chain.firstBalance),
      last: decimal(chain.lastBalance),
      charged: decimal(chain.charged),
      chargedBy: {
        told: formatAmount(chargedBy.told),
        listed: formatAmount(chargedBy.listed),
        evidence: formatAmount(chargedBy.evidence),
      },
      down: decimal(chain.down),
      up: decimal(chain.up),
      untold: decimal(chain.untold),
      drifts: chain.drifts.map(driftJson),
    },
    findings,
  };
}

function driftJson({ afterIntentId, intentId, atMs, amount }: Drift): object {
  return { afterIntentId, intentId, at: new Date(atMs).toISOString(), amount: formatAmount(amount) };
}

/**
 * Answers in this machine's spool that have no row in the ledger; workers of other machines have their own spools. A call that
 * was not sent has cost nothing and needs no row: workers drop it after a while.
 */
async function orphansOf(
  config: Config,
  withoutRow: (ids: readonly string[]) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const spool = createSpool(join(config.filesDir, 'spool'));
  const spooled = await spool.list().catch(() => []);
  const orphans = spooled.length === 0 ? [] : await withoutRow(spooled);
  const settlements = await Promise.all(
    orphans.map(async (intentId) => ({ intentId, settlement: await spool.peek(intentId) })),
  );
  return settlements.flatMap(({ intentId, settlement }) => (settlement?.state === 'not_sent' ? [] : [intentId]));
}
