/** Starting `callOperation` idempotently: id from operation and arguments. */
import {
  callOperationId,
  parseCallOperationInput,
  type CallOperationInput,
  type CallOperationResult,
} from '../protocol/index.js';
import { caseSubject } from './case-subject.js';
import { defineStarter, type Starter } from './define-starter.js';

/** Starts (or joins) one call of an operation. Default id `call/<account>/<operation>/<hash of params and body>`. */
export const startCallOperation: Starter<CallOperationInput, CallOperationResult> = defineStarter({
  type: 'callOperation',
  parse: parseCallOperationInput,
  place: ({ account, operation, params, body }, deps) => {
    const { caseAttribute, label } = caseSubject(deps, account, params['cnj']);
    return {
      id: callOperationId({ account, operation, token: deps.token('call', { params, body }) }),
      caseAttribute,
      summary: `One call of ${operation}${label === undefined ? '' : ` for ${label}`}`,
    };
  },
});
