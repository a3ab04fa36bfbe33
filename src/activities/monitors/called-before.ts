/**
 * After a reset the listing shows what the run itself has created: nothing would be left to do, and nobody would report its
 * charges. So the plan has the run's own calls again, those with equal arguments, and the ledger answers them.
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
/** A call in one of these states has nothing to report. */
const CAME_TO_NOTHING: readonly Intent['state'][] = ['rejected', 'not_sent', 'closed'];

/** `planned`, and the calls that `input.run` has made already. */
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
  const includesEqual = async (
    own: readonly Intent[],
    call: Pick<Parameters<Deps['ledger']['about']>[0], 'operation' | 'params' | 'body'>,
  ): Promise<boolean> => {
    if (own.length === 0) return false;
    const equal = new Set((await deps.ledger.about({ account, ...call })).map(({ intentId }) => intentId));
    return own.some(({ intentId, joined }) => equal.has(joined ?? intentId));
  };

  const created = rows.filter(({ operation }) => operation === CREATE);
  const lists = created.length === 0 ? [] : [oabs, await oabsCreatedBy(deps, account, { created, ...planned }), create];
  let toCreate = create;
  for (const list of lists) {
    if (await includesEqual(created, { operation: CREATE, params: {}, body: { oabs: [...list], ...definition } })) {
      toCreate = list;
      break;
    }
  }
  const toUpdate: string[] = [];
  for (const [place, oab] of oabs.entries()) {
    const own = rows.filter(({ operation, step }) => operation === UPDATE && step === `${UPDATE}/${place + 1}`);
    const call = { operation: UPDATE, params: describeLawyer(deps, { oab }), body: definition } as const;
    if (update.includes(oab) || (await includesEqual(own, call))) toUpdate.push(oab);
  }
  return { create: toCreate, update: toUpdate };
}

/** Registrations of the monitors that the answers of the calls `created` have named. */
async function oabsCreatedBy(
  { monitors }: Pick<RecordDeps, 'monitors'>,
  account: string,
  { created, listed }: { readonly created: readonly Intent[]; readonly listed: readonly NoticeMonitor[] },
): Promise<readonly string[]> {
  const calls = new Set(created.map(({ intentId, joined }) => joined ?? intentId));
  const kept = await monitors.kept(account);
  return registrationsOf({ kept, listed }, ({ intentId }) => intentId !== null && calls.has(intentId));
}
