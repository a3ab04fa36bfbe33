/** What the plan of a start says. Amounts are decimal strings of the account's currency, instants ISO 8601 in UTC. */
import type { WorkflowType } from '../protocol/index.js';

/**
 * What a start would be charged.
 * - `exact`: this, if every call is answered well. A refusal or a failed refresh ends the flow earlier, at less.
 * - `at most`: no more than this. For example, the number of pages is not known beforehand.
 * - `cap`: a price is not known, so only the cap of the flow or of the portfolio limits the cost. The last call may exceed
 *   the cap by what it costs above the amount reserved for it.
 * - `unknown`: a price is not known and no cap is given.
 *
 * Later decisions of a person (`resume`, `settleCharge`) may buy more. No plan includes them.
 */
export type CostAhead =
  | { readonly kind: 'exact' | 'at most' | 'cap'; readonly amount: string }
  | { readonly kind: 'unknown'; readonly amount: null };

/**
 * What would become of a call now.
 * - `send`: it is made and charged. - `maybe`: whether it is made depends on earlier answers.
 * - `fresh`: an answer that is already paid is reused. - `joined`: it is under way in another flow, whose answer is shared.
 * - `open`: an equal call of another flow was sent just now; if that one fails unpaid, this one is sent.
 * - `undecided`: nothing is sent until the charge of an equal call is decided.
 * - `lost`: it was paid and its answer is lost; nothing is sent automatically. - `free`: it costs nothing.
 */
export type CallState = 'send' | 'maybe' | 'fresh' | 'joined' | 'open' | 'undecided' | 'lost' | 'free';

/** Where a price is known from; `default`: it is not known. */
export type PriceSource = 'configuration' | 'interface' | 'ledger' | 'default';

/** One charged call of the flow, or several alike. */
export interface CallPlan {
  /** Step of the flow, as in receipts; absent where calls of many flows are counted together. */
  readonly step?: string;
  /** Operation of the service. */
  readonly operation: string;
  /** What would become of it. */
  readonly state: CallState;
  /** How many flows have such a call; absent for one flow. */
  readonly count?: number;
  /** How often it is made at least, if every call before it is answered well. */
  readonly least: number;
  /** How often it is made at most. */
  readonly most: number;
  /** Of one call; null where it is not known. */
  readonly price: string | null;
  /** Where `price` is known from; absent for calls that are not sent. */
  readonly priceFrom?: PriceSource;
  /** The monitor that it creates is billed again and again. */
  readonly recurring?: true;
  /** Ledger row that is taken or waited for. */
  readonly intentId?: string;
  /** Workflow of that row. */
  readonly workflowId?: string;
}

/** The first cap that would stop the flow, in the order in which its calls are made. */
export interface CapAhead {
  /** `flow`: of the input or the account. `shared`: of the portfolio. `day`: of the account. `balance`: its floor. */
  readonly cap: 'flow' | 'shared' | 'day' | 'balance';
  /** The cap, or the balance that must remain. */
  readonly limit: string;
  /** The cap, or the balance, that the call would need. */
  readonly needed: string;
  /** Charged before it stops; null where a price is not known. */
  readonly spentBefore: string | null;
  /** Operation of the first call that does not fit. */
  readonly operation: string;
  /** True: nothing was paid by then, so the flow ends as `BudgetExceeded`. False: it parks until a person resumes. */
  readonly ends: boolean;
}

/** What a start would cost and meet, as our own database knows it at one moment. */
export interface FlowCostPlan {
  readonly flow: WorkflowType;
  readonly account: string;
  /** When the plan was made. */
  readonly at: string;
  /** The id that the start would have; null for a plan over a list. */
  readonly workflowId: string | null;
  /** Flows that are planned: 1, or the cases of a list. */
  readonly flows: number;
  readonly cost: CostAhead;
  readonly calls: readonly CallPlan[];
  /** The first cap that would stop it; null: none would. */
  readonly stop: CapAhead | null;
  /** Why charged calls of the account wait unsent now; null: they do not. */
  readonly hold: string | null;
  /** The run that this start would join or be refused for; null when there is none or no Temporal client was given. */
  readonly running: { readonly workflowId: string; readonly runId: string; readonly sameInput: boolean } | null;
  /** Why the start would end unpaid; null: it would not. */
  readonly problem: string | null;
}
