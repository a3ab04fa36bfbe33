/** The findings of `tramita ledger check`, from the figures of one account. Pure. */
import { DAY_MS, formatAmount, PENDING_AT_MOST_MS, type Amount } from '../../contract/index.js';
import type { Config } from '../../config/index.js';
import type { AccountCheck } from '../../ledger/index.js';

export interface CheckFinding {
  /** A person has to act; otherwise the finding is for information. */
  readonly act: boolean;
  readonly text: string;
}

const SHOWN_IDS = 3;

/** Counts the rows and names the first ids; no finding without rows. */
function rowsFinding(ids: readonly string[], text: string, act = true): readonly CheckFinding[] {
  return ids.length === 0 ? [] : [{ act, text: `${ids.length} ${text}: ${ids.slice(0, SHOWN_IDS).join(', ')}` }];
}

/** Nobody has to act: the ledger counts the reserve, and only the statement has the amount. */
function unreportedFinding({ count, reserved, ids }: AccountCheck['unreported']): readonly CheckFinding[] {
  if (count === 0) return [];
  const shown = [...ids.slice(0, SHOWN_IDS), ...(count > SHOWN_IDS ? ['…'] : [])].join(', ');
  const text = `${count} finished calls whose charge was never reported, reserved ${formatAmount(reserved)}: ${shown}`;
  return [{ act: false, text }];
}

/** Without a file store nobody has to act: the directory of one machine says nothing about files of other machines. */
export function fileFindings(
  { lostFiles, lostDocuments }: Pick<AccountCheck, 'lostFiles'> & { readonly lostDocuments: readonly string[] },
  { filesDir, fileStore }: Pick<Config, 'filesDir' | 'fileStore'>,
): readonly CheckFinding[] {
  const act = fileStore !== undefined;
  const where = act ? 'gone from the file store' : `not in ${filesDir} of this machine; another worker may have them`;
  return [
    ...rowsFinding(lostFiles, `paid files ${where}`, act),
    ...rowsFinding(lostDocuments, `files of documents ${where}`, act),
  ];
}

const UNDECIDED_AS: Readonly<Record<AccountCheck['undecided'][number]['state'], string>> = {
  unknown: 'unknown charges',
  charged_lost: 'charged calls with a lost answer',
  pending: `calls pending for more than ${PENDING_AT_MOST_MS / DAY_MS} days, whose charge was never reported`,
};

export function findingsOf(check: AccountCheck, exclusive: boolean): readonly CheckFinding[] {
  const { chain, stuckOpen, undecided, unreported, conflicts, unexpected } = check;
  const { lostOriginals, lostBodies, droppedBodies, wrongSums } = check;
  const info = (figure: number, text: string): CheckFinding[] => (figure === 0 ? [] : [{ act: false, text }]);
  return [
    ...undecided.map(({ state, age, count, reserved }) => ({
      act: true,
      text: `${count} ${UNDECIDED_AS[state]}, ${age} old, reserved ${formatAmount(reserved)}`,
    })),
    ...unreportedFinding(unreported),
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
