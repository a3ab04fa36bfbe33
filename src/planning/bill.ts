/**
 * The charged calls of one flow, in the order in which it makes them. A call is looked up as the ledger would when it is asked
 * for; what comes after a call that may not be answered is less certain than that call.
 */
import { present, type FlagName, type JsonObject, type Parameters } from '../contract/index.js';
import { tellsItsEnd } from '../activities/index.js';
import { isAnswerDropped, type Foreseen, type Intent, type Limits } from '../ledger/index.js';
import type { CommonSettings, WorkflowType } from '../protocol/index.js';
import type { Planner } from './deps.js';
import { priceOf, type Line } from './line.js';
import type { CallState } from './types.js';

export interface PlannedCall {
  readonly step: string;
  readonly operation: string;
  readonly params: Parameters;
  readonly body?: JsonObject;
  readonly flags?: readonly FlagName[];
  readonly maxAgeMs?: number | undefined;
  readonly notBeforeMs?: number | undefined;
  readonly sentNotBeforeMs?: number | undefined;
}

/** What became of a call in the plan; `from` is the row whose answer is taken. */
export interface PlannedEnd {
  readonly state: CallState;
  readonly from?: Intent;
}

export interface Bill {
  readonly lines: readonly Line[];
  /** Why the flow ends unpaid, or before its next call. */
  readonly problem: string | undefined;
  readonly hold: Foreseen['hold'];
  /** The next call of the flow. `maybe`: only if answers show that it is needed. */
  add(call: PlannedCall, maybe?: 'maybe'): Promise<PlannedEnd>;
  /** So many calls alike, of which nothing is looked up but the price. */
  addSome(call: PlannedCall, times: { readonly least: number; readonly most: number }): Promise<void>;
  /** Calls that were looked up elsewhere. */
  take(lines: readonly Line[]): void;
  /** The flow ends here: further calls are not added. */
  end(problem?: string): void;
  /** The same, where there is a problem. */
  endIf(problem: string | undefined): void;
}

/** Flows with the limits that hold for them together. */
export interface PlannedFlows {
  readonly bills: readonly Bill[];
  readonly limits: Limits;
  readonly budgetKey: string | null;
  readonly problem?: string;
}

interface BillOf {
  readonly type: WorkflowType;
  readonly settings: Pick<CommonSettings, 'account' | 'once'>;
}

export function createBill(planner: Planner, { type, settings }: BillOf): Bill {
  const { ledger, catalogue } = planner;
  const { account, once } = settings;
  const lines: Line[] = [];
  let problem: string | undefined;
  let hold: Foreseen['hold'];
  let isOver = false;
  let isSure = true;

  const end = (why?: string): void => {
    if (isOver) return;
    problem = why;
    isOver = true;
  };

  const foresee = ({ maxAgeMs, notBeforeMs, sentNotBeforeMs, flags = [], ...call }: PlannedCall): Promise<Foreseen> => {
    const limits = present({ once, maxAgeMs, notBeforeMs, sentNotBeforeMs });
    return ledger.foresee({ ...call, account, flags, workflowType: type, ...limits });
  };

  /** Paid, and dropped by its age or an erasure: a call with the same key gets that reason. What the row itself keeps is there. */
  const isGone = async (from: Intent | undefined): Promise<boolean> => {
    if (from === undefined || (type !== 'callOperation' && tellsItsEnd(from))) return false;
    const source = from.joined === null ? from : ((await ledger.find(from.joined)) ?? from);
    return isAnswerDropped(source);
  };

  const push = (
    call: PlannedCall,
    foreseen: Foreseen,
    line: Pick<Line, 'state' | 'least' | 'most'> & { readonly from?: Intent },
  ): void => {
    const { from, ...counted } = line;
    const operation = catalogue.operationOf(call.operation);
    const { price, priceFrom, isBound } = priceOf(operation, call, foreseen);
    lines.push({
      step: call.step,
      operation: call.operation,
      ...counted,
      price,
      isBound,
      reserved: foreseen.reserved,
      ...(counted.most > 0 ? { priceFrom } : {}),
      ...(operation.charge === 'recurring' && counted.most > 0 ? { recurring: true as const } : {}),
      ...present({ intentId: from?.joined ?? from?.intentId, workflowId: from?.workflowId }),
    });
    if (counted.most > 0) hold ??= foreseen.hold;
  };

  return {
    lines,
    get problem() {
      return problem;
    },
    get hold() {
      return hold;
    },
    async add(call, maybe) {
      if (isOver) return { state: 'maybe' };
      const foreseen = await foresee(call);
      const { opening, free } = foreseen;
      if (opening.kind === 'answer' || opening.kind === 'shut') {
        end(opening.kind === 'answer' && 'problem' in opening.verdict ? opening.verdict.problem : undefined);
        return { state: 'lost' };
      }
      const stands = endOf(opening, free);
      const isLost = stands.state === 'fresh' && (await isGone(stands.from));
      const found: PlannedEnd = isLost ? { ...stands, state: 'lost' } : stands;
      const sure = isSure && maybe === undefined;
      push(call, foreseen, { ...countOf(found.state, sure), ...present({ from: found.from }) });
      if (!sure || ['undecided', 'lost'].includes(found.state)) isSure = false;
      return found;
    },
    async addSome(call, { least, most }) {
      if (isOver || most < 1) return;
      const foreseen = await foresee(call);
      const state = foreseen.free ? 'free' : 'maybe';
      push(call, foreseen, { state, least: isSure ? least : 0, most: foreseen.free ? 0 : most });
      isSure &&= least === most;
    },
    take(more) {
      lines.push(...more);
    },
    end,
    endIf(why) {
      if (why !== undefined) end(why);
    },
  };
}

/** How often a call is paid for that ends like this; `sure`: the flow makes it whatever it is answered before. */
function countOf(state: CallState, sure: boolean): Pick<Line, 'state' | 'least' | 'most'> {
  switch (state) {
    case 'send':
      return sure ? { state, least: 1, most: 1 } : { state: 'maybe', least: 0, most: 1 };
    case 'open':
    case 'undecided':
      return { state, least: 0, most: 1 };
    default:
      return { state, least: 0, most: 0 };
  }
}

function endOf(opening: Extract<Foreseen['opening'], { kind: 'join' | 'wait' | 'send' }>, free: boolean): PlannedEnd {
  switch (opening.kind) {
    case 'send':
      return { state: free ? 'free' : 'send' };
    case 'wait':
      return { state: opening.verdict === 'open elsewhere' ? 'open' : 'undecided', from: opening.on };
    case 'join': {
      const { intent } = opening.from;
      if (intent.state === 'done') return { state: 'fresh', from: intent };
      return { state: intent.state === 'pending' ? 'joined' : 'lost', from: intent };
    }
  }
}
