/** The result of `tramita ledger check` for people and machines. Pure. */
import type { Config } from '../../config/index.js';
import { formatAmount, present, type Amount } from '../../contract/index.js';
import type { AccountCheck, Drift } from '../../ledger/index.js';
import { fileFindings, findingsOf, type CheckFinding } from './findings.js';
import type { LedgerState } from './read-state.js';

export interface CheckReport {
  readonly json: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
  readonly needsPerson: boolean;
}

export function reportCheck(
  { checks, spooledWithoutRow, folder, spool, ledger, fileStore }: LedgerState,
  config: Config,
  sinceMs: number,
): CheckReport {
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
    ...(spool === undefined ? [] : [`spooled answers were not checked: ${spool}`]),
    ...(spooled === 0
      ? []
      : [`${spooled} spooled answers without a ledger row: inspect the spool of TRAMITA_FILES_DIR`]),
  ];
  const needsPerson = problems.length > 0 || judged.some(({ findings }) => findings.some(({ act }) => act));
  return {
    needsPerson,
    json: {
      needsPerson,
      since: new Date(sinceMs).toISOString(),
      ledger,
      ...present({ folder, fileStore, spool }),
      spooledWithoutRow,
      accounts: judged.map(({ check, findings }) => toJson(check, findings)),
    },
    lines: [
      ...problems.map((text) => `! ${text}`),
      ...(folder === undefined ? [] : [`- ${folder}`]),
      ...judged.map(({ check, findings }) => textOf(check, findings)),
    ],
  };
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

function toJson(
  { chain, chargedBy, undecided, unreported, ...ids }: AccountCheck,
  findings: readonly CheckFinding[],
): object {
  const decimal = (amount: Amount | null): string | null => (amount === null ? null : formatAmount(amount));
  return {
    ...ids,
    undecided: undecided.map((row) => ({ ...row, reserved: formatAmount(row.reserved) })),
    unreported: { ...unreported, reserved: formatAmount(unreported.reserved) },
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
