/** What a charged call says of itself when it asks to be sent. */
import type { Amount, FlagName, JsonObject, Parameters } from '../contract/index.js';
import type { StepKey } from '../protocol/index.js';

export interface OpenIntent extends StepKey {
  readonly account: string;
  readonly operation: string;
  readonly workflowType: string;
  readonly params: Parameters;
  readonly body?: JsonObject;
  readonly flags: readonly FlagName[];
  readonly once?: string;
  readonly webhookExpected: boolean;
  /** A UUID made once in the activity's body, and the id of the new row: a lost commit acknowledgement is recognised by it. */
  readonly attemptToken: string;
  /** `activityInfo().attempt`. */
  readonly attempt: number;
  readonly maxAgeMs?: number;
  readonly notBeforeMs?: number;
  /** When the run asked (its start), epoch ms: what other runs have bought since is shared, though not older than `notBeforeMs`. */
  readonly askedAtMs?: number;
  /** Cap of the flow's input; the account's caps come with the ledger's settings. */
  readonly maxSpend?: Amount;
  /** A cap over all calls that carry the same key, in whatever flow. */
  readonly budget?: { readonly key: string; readonly limit: Amount };
  readonly joinIntent?: string;
  /** Keys under which events about this call are waited for, e.g. `cnj:<20 digits>`. */
  readonly waiterKeys: readonly string[];
}
