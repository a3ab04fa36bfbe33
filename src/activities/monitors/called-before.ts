/**
 * After a reset the listing shows what the run itself has made: nothing would be left to do, and its charges would be told by
 * nobody. So its own calls are in the plan again, and the ledger answers them. Only those that are the same by their arguments.
 */
import type { NoticeMonitor } from '../../contract/index.js';
import type { Intent } from '../../ledger/index.js';
import { noticeMonitorBody, type EnsurePlan, type PlanNoticeMonitorInput } from '../../protocol/index.js';
import type { LedgerDeps, RecordDeps, ServiceDeps } from '../deps.js';
import { describeLawyer } from '../lawyers/import-steps.js';
import { registrationsOf } from './asked-before.js';

type Deps = Pick<ServiceDeps, 'gaps'> & Pick<LedgerDeps, 'ledger'> & Pick<RecordDeps, 'monitors'>;

const CREATE = 'createNoticeMonitor';
const UPDATE = 'updateNoticeMonitor';
/** Of such a call there is nothing to tell. */
const CAME_TO_NOTHING: readonly Intent['state'][] = ['rejected', 'not_sent', 'closed'];

/** `planned`, with what `input.run` has called already. */
export async function withCallsBefore(
  deps: Deps,
  input: PlanNoticeMonitorInput,
  planned: {
    readonly create: readonly string[];
    readonly update: readonly string[];
    readonly listed: readonly NoticeMonitor[];
  },
): Promise<Pick<EnsurePlan, 'create' | 'update'>> {
  const { create, update } = planned;
  const { account, oabs, run } = input;
  if (run === undefined) return { create, update };
  const rows = (await deps.ledger.list({ account, ...run })).filter(({ state }) => !CAME_TO_NOTHING.includes(state));
  if (rows.length === 0) return { create, update };
  const definition = noticeMonitorBody(input);
  const isAmong = async (
    own: readonly Intent[],
    call: Pick<Parameters<Deps['ledger']['about']>[0], 'operation' | 'params' | 'body'>,
  ): Promise<boolean> => {
    if (own.length === 0) return false;
    const equal = new Set((await deps.ledger.about({ account, ...call })).map(({ intentId }) => intentId));
    return own.some(({ intentId, joined }) => equal.has(joined ?? intentId));
  };

  const created = rows.filter(({ operation }) => operation === CREATE);
  const lists = created.length === 0 ? [] : [oabs, await madeBy(deps, account, { created, ...planned }), create];
  let again = create;
  for (const list of lists) {
    if (await isAmong(created, { operation: CREATE, params: {}, body: { oabs: [...list], ...definition } })) {
      again = list;
      break;
    }
  }
  const changed: string[] = [];
  for (const [place, oab] of oabs.entries()) {
    const own = rows.filter(({ operation, step }) => operation === UPDATE && step === `${UPDATE}/${place + 1}`);
    const call = { operation: UPDATE, params: describeLawyer(deps, { oab }), body: definition } as const;
    if (update.includes(oab) || (await isAmong(own, call))) changed.push(oab);
  }
  return { create: again, update: changed };
}

/** Registrations of the monitors that the answer of `created` has named. */
async function madeBy(
  { monitors }: Pick<RecordDeps, 'monitors'>,
  account: string,
  { created, listed }: { readonly created: readonly Intent[]; readonly listed: readonly NoticeMonitor[] },
): Promise<readonly string[]> {
  const calls = new Set(created.map(({ intentId, joined }) => joined ?? intentId));
  const kept = await monitors.kept(account);
  return registrationsOf({ kept, listed }, ({ intentId }) => intentId !== null && calls.has(intentId));
}
