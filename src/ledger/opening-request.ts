/** What a charged call passes when it asks to be sent. */
import type { Amount } from '../contract/index.js';
import type { CallOfFlow } from './lost-attempt.js';

export interface OpenIntent extends Omit<CallOfFlow, 'once'> {
  readonly once?: string;
  readonly webhookExpected: boolean;
  /** A UUID made once in the activity's body, and the id of the new row: a lost commit acknowledgement is recognised by it. */
  readonly attemptToken: string;
  /** `activityInfo().attempt`. */
  readonly attempt: number;
  readonly maxAgeMs?: number;
  readonly notBeforeMs?: number;
  /** An equal call that was sent before this instant, epoch ms, has another answer: it is neither joined nor reused. */
  readonly sentNotBeforeMs?: number;
  /** When the run asked (its start), epoch ms. Later answers of other runs are shared, if not older than `notBeforeMs`. */
  readonly askedAtMs?: number;
  /** Cap of the flow's input; the account's caps come with the ledger's settings. */
  readonly maxSpend?: Amount;
  /** A cap over all calls that carry the same key, in whatever flow. */
  readonly budget?: { readonly key: string; readonly limit: Amount };
  readonly joinIntent?: string;
}
