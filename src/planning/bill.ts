/**
 * The charged calls of one flow, in the order in which the flow makes them. Each call is looked up with the ledger's own
 * decision about opening it. After a call that may bring no answer, later calls count as `maybe`.
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

/** What would become of a call; `from`: the ledger row whose answer it takes or waits for. */
export interface PlannedEnd {
  readonly state: CallState;
  readonly from?: Intent;
}

export interface Bill {
  readonly lines: readonly Line[];
  /** Why the flow is refused or ends early. */
  readonly problem: string | undefined;
  readonly hold: Foreseen['hold'];
  /** Adds the next call of the flow. `maybe`: it is made only if earlier answers require it. */
  add(call: PlannedCall, maybe?: 'maybe'): Promise<PlannedEnd>;
  /** Adds several calls like this one; only their price is looked up. */
  addSome(call: PlannedCall, times: { readonly least: number; readonly most: number }): Promise<void>;
  /** Adds calls that were looked up on another bill. */
  addLines(lines: readonly Line[]): void;
  /** Ends the flow: further calls are ignored. */
  end(problem?: string): void;
  /** Ends the flow if there is a problem. */
  endIf(problem: string | undefined): void;
}

/** Flows that are planned together, with their limits. */
export interface PlannedFlows {
  readonly bills: readonly Bill[];
  readonly limits: Limits;
  readonly budgetKey: string | null;
  readonly problem?: string;
}

interface BilledFlow {
  readonly type: WorkflowType;
  readonly settings: Pick<CommonSettings, 'account' | 'once'>;
}

export function createBill(planner: Planner, { type, settings }: BilledFlow): Bill {
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

  /** True when an answer was paid for and later dropped by retention or an erasure, and the row alone does not replace it. */
  const isDropped = async (from: Intent | undefined): Promise<boolean> => {
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
      const stored = endOf(opening, free);
      const isLost = stored.state === 'fresh' && (await isDropped(stored.from));
      const planned: PlannedEnd = isLost ? { ...stored, state: 'lost' } : stored;
      const sure = isSure && maybe === undefined;
      push(call, foreseen, { ...countOf(planned.state, sure), ...present({ from: planned.from }) });
      if (!sure || ['undecided', 'lost'].includes(planned.state)) isSure = false;
      return planned;
    },
    async addSome(call, { least, most }) {
      if (isOver || most < 1) return;
      const foreseen = await foresee(call);
      const state = foreseen.free ? 'free' : 'maybe';
      push(call, foreseen, { state, least: isSure ? least : 0, most: foreseen.free ? 0 : most });
      isSure &&= least === most;
    },
    addLines(more) {
      lines.push(...more);
    },
    end,
    endIf(why) {
      if (why !== undefined) end(why);
    },
  };
}

/** How often a call in this state is paid for. `sure`: the flow makes it whatever its earlier calls bring. */
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
