/**
 * `tramita/protocol`: what the flows and their callers share, listed by name: inputs, results, failure types, workflow ids,
 * signals, updates, queries. It holds constants and pure functions only, so a workflow of your own may import it (to start
 * one of the flows as its child, for example). `tramita/workflow` is not for that: it is a list of workflow functions.
 */
export {
  DEFAULT_ACCOUNT,
  DEFAULT_TASK_QUEUE,
  FAILURE_TYPES,
  NOT_PARKED,
  QUERY_PROGRESS,
  SEARCH_ATTRIBUTES,
  SIGNAL_WAKE,
  UPDATE_RESUME,
  UPDATE_SETTLE_CHARGE,
  type Attention,
  type ChargeDecision,
  type CommonInput,
  type DocumentResult,
  type FailureDetails,
  type FailureType,
  type FlowState,
  type PagesStop,
  type Progress,
  type ProgressStep,
  type Receipt,
  type ResumeInput,
  type ResumeResult,
  type SettleChargeInput,
  type SettleChargeResult,
  type Spent,
  type SweepMemo,
  type WakeInput,
} from './protocol/index.js';
export {
  WORKFLOW_TYPES,
  type FlowInput,
  type FlowResult,
  type FlowSettings,
  type WorkflowType,
} from './protocol/flows/index.js';
// The id, the input and the result of each flow: that list names them.
export * from './protocol/flows/names.js';
