/** Free steps of an import: describe its call, store page 1 from its paid answer, make the list visible to readers. */
import { present, readInstantMs, readLawyerCases, type Parameters } from '../../contract/index.js';
import { oabKey } from '../../inbox/index.js';
import type {
  CommitImportInput,
  CommittedImport,
  SaveFirstPageInput,
  SaveFirstPageResult,
} from '../../protocol/index.js';
import type { ActivityDeps } from '../deps.js';
import { readStoredAnswer } from '../stored-answer.js';

/** Parameters of the call under their configured names. */
export function describeLawyer(
  { gaps }: Pick<ActivityDeps, 'gaps'>,
  { oab, pageSize }: { readonly oab: string; readonly pageSize?: number },
): Parameters {
  const [uf = '', number = ''] = oab.split(':');
  return {
    [gaps.oabNumberParam]: number,
    [gaps.oabStateParam]: uf,
    ...present({ limit: pageSize }),
  };
}

/**
 * An import that has ended is not repeated by a reset or by a start with the same `once`: its list may have moved since, and
 * page 1 would be bought again (docs/decisions/0075). Page 1 of a complete list is staged. Page 1 of a growing list is stored
 * as provisional, and the flow waits for events about the lawyer.
 */
export async function saveFirstPage(
  deps: Pick<ActivityDeps, 'ledger' | 'lawyers' | 'waitFor' | 'clock' | 'gaps'>,
  input: SaveFirstPageInput,
): Promise<SaveFirstPageResult> {
  const { account, oab, intentId, setId, complete, workflowId, start } = input;
  const ended = start === undefined ? undefined : await deps.lawyers.endOf({ account, start });
  if (ended !== undefined) return { withoutNumber: 0, ended };
  const list = readLawyerCases(await readStoredAnswer(deps, account, intentId), deps.gaps);
  if (list === undefined) return { withoutNumber: 0, lost: true };
  const { records } = list;
  if (complete) {
    const staged = await deps.lawyers.stage(setId, { targetHash: 'page 1', page: 1, records });
    return { withoutNumber: staged.kind === 'staged' ? staged.withoutNumber : 0 };
  }
  // The waiters of the call ended with it: what came since then has woken nobody.
  const sinceMs = (await deps.ledger.find(intentId))?.settledAtMs ?? undefined;
  await deps.waitFor({ workflowId, intentId, keys: [oabKey(oab)], ...present({ sinceMs }) });
  await deps.lawyers.saveProvisional({ account, oab, setId, records, nowMs: deps.clock.nowMs() });
  return { withoutNumber: 0 };
}

export async function commitImport(
  deps: Pick<ActivityDeps, 'lawyers' | 'clock'>,
  input: CommitImportInput,
): Promise<CommittedImport> {
  const { account, end } = input;
  if (await isDoubtful(deps, input)) return { lost: true, readAgain: true };
  const cases = await deps.lawyers.commit({ ...input, nowMs: deps.clock.nowMs() });
  if (cases !== undefined) return cases;
  const ended = end === undefined ? undefined : await deps.lawyers.endOf({ account, start: end.start });
  return { lost: true, ...present({ ended }) };
}

async function isDoubtful(
  { lawyers }: Pick<ActivityDeps, 'lawyers'>,
  { account, oab, setId, version, pages = 0, doubts, end }: CommitImportInput,
): Promise<boolean> {
  if (doubts === undefined) return false;
  const shown = doubts.mayBeOld ? await lawyers.shown({ account, oab }) : undefined;
  // An attempt that committed this set and was not heard.
  if (shown?.setId === setId) return false;
  if (isOlder(version, shown?.version)) return true;
  const [available, usual] = [end?.available ?? 0, pages * doubts.firstPageItems];
  if (available <= usual) return false;
  const { cases } = await lawyers.count(setId);
  return usual < cases && cases < available;
}

/** Versions are times. Of other texts it is not known which is older. */
function isOlder(version: string | null, than: string | null | undefined): boolean {
  const [ours, theirs] = [readInstantMs(version), readInstantMs(than)];
  return ours !== undefined && theirs !== undefined && ours < theirs;
}
