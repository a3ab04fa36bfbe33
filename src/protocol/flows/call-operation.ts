/** `callOperation`: one call of any operation, files included. */
import type { Json, JsonObject } from '../../contract/json.js';
import type { Parameters } from '../../contract/route.js';
import { parseCnj } from '../../contract/values/index.js';
import { defineFlow, nameCase, workflowIdOf, type FlowPlace, type Naming } from '../flow.js';
import { jsonBody, operationId, parameters } from '../inputs/arguments.js';
import type { StoredAnswerFile } from '../answer-parts.js';
import type { CommonInput } from '../inputs/common.js';
import type { FlowCosts } from '../results.js';

/** Input of `callOperation`: one operation of the service with its arguments. */
export interface CallOperationInput extends CommonInput {
  /** Id of a built-in or configured operation. */
  readonly operation: string;
  /** By the service's own names, gap names as configured. */
  readonly params?: Parameters;
  /** JSON body; only for POST and PUT. */
  readonly body?: JsonObject;
}

/** Result of `callOperation` and `awaitRequest`: one answer of the service. */
export interface CallOperationResult extends FlowCosts {
  /** HTTP status of the answer; of the final one where the service answered 202 first. */
  readonly status: number;
  /** The JSON of the answer up to 128 KB, without signed links. */
  readonly body?: Json;
  /** Instead of a larger `body`: its SHA-256, the key of the stored answer. */
  readonly bodySha256?: string;
  /** `X-Service-*` headers of the answer, names in lower case; absent where it has none, came after a 202, or was paid for before. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of `body` where the answer is a file. */
  readonly file?: StoredAnswerFile;
  /** True when the answer had been paid for before and nothing was sent. */
  readonly reused: boolean;
}

/** Whether the operation takes these arguments is asked of the catalogue before anything is spent. */
export const callOperation = defineFlow<CallOperationInput, CallOperationResult>()({
  idPrefix: 'call',
  example: '{"operation":"getCase","params":{"cnj":"…"}}',
  members: { operation: operationId, params: parameters, body: jsonBody },
  place: ({ account, operation, params, body }, naming) => ({
    ...placeOfCase(naming, account, params, `One call of ${operation}`),
    id: [operation, naming.token('call', { params, body })],
  }),
});

/** Summary and case of a flow whose parameters may name a case. */
export function placeOfCase(
  naming: Naming,
  account: string,
  params: Parameters,
  summary: string,
): Omit<FlowPlace, 'id'> {
  const parsed = parseCnj(params['cnj']);
  if (!parsed.ok) return { summary };
  const { key, label } = nameCase(naming, account, parsed.cnj);
  return { summary: `${summary} for ${label}`, caseAttribute: key };
}

/** Default workflow id of `callOperation`. `token`: of parameters and body, which may be personal. */
export function callOperationId(call: {
  readonly account: string;
  readonly operation: string;
  readonly token: string;
}): string {
  return workflowIdOf(callOperation, call.account, call.operation, call.token);
}
