/** The flows of the drill: every phase that can be in progress when a ledger loses data, each with its own arguments. */
import type { WorkflowType } from '../../src/protocol/index.js';
import { KINDS, type Place } from '../flows/kinds.js';
import type { FlowOrder } from '../flow-book.js';
import type { World } from '../world.js';

/** A refresh with an odd number also reads documents. */
const TYPES: readonly WorkflowType[] = [
  ...(['refreshCase', 'refreshCase', 'readCase', 'callOperation', 'refreshCase', 'summarizeCase'] as const),
  ...(['collectPages', 'importLawyerCases', 'createCaseMonitor', 'refreshPortfolio', 'callOperation'] as const),
];

/** `count` flows, their types in turn; `first` keeps drills apart. */
export async function planFlows(
  world: World,
  { count, first }: { readonly count: number; readonly first: number },
): Promise<readonly FlowOrder[]> {
  // A list stored in the database would be lost with it; the input of a flow is not.
  const lists = new Map<string, readonly string[]>();
  const place: Place = {
    service: world.service,
    saveList: (name, cases) => Promise.resolve(void lists.set(name, cases)),
  };
  const orders: FlowOrder[] = [];
  for (let n = first; n < first + count; n += 1) {
    const type = TYPES[(n - first) % TYPES.length] ?? 'refreshCase';
    const { input: prepared, others } = await KINDS[type](n, place);
    const cases = lists.get((prepared['name'] ?? '') as string);
    const input = cases === undefined ? prepared : { ...prepared, cases };
    const workflowId = `drill-${world.taskQueue}-${type}-${n}`;
    const order = { type, input, others, workflowId, service: world.service, abouts: [], label: type };
    orders.push({ ...order, owns: ownsOf(world, order) });
  }
  return orders;
}

/** Matches a charge by the case in the workflow's id, or by numbers and words of the flow's arguments in the charged request. */
function ownsOf({ service }: World, { input }: Pick<FlowOrder, 'input'>): NonNullable<FlowOrder['owns']> {
  const needles = new Set<string>(JSON.stringify(input).match(/termo \d+|\d{6,}/g));
  return async ({ n, subject }, { workflowId }) => {
    const cnj = /\d{20}$/.exec(workflowId)?.[0];
    if (cnj !== undefined) return subject.cnj === cnj;
    if (needles.has(subject.cnj)) return true;
    const { target = '' } = (await service.received()).find(({ charge }) => charge === n) ?? {};
    const { pathname, searchParams } = new URL(target, service.sandbox.url);
    return [...pathname.split('/'), ...searchParams.values()].some((part) => needles.has(part));
  };
}
