/** How a flow failed, for people and machines. Recognises the client's errors by name, never by class. Pure. */
import { withoutPrefix } from '../../contract/values/index.js';
import type { FailureDetails, Spent } from '../../protocol/index.js';

export interface FlowFailure {
  /** One of the failure types of the protocol, or `Cancelled`, `Terminated`, `TimedOut`. */
  readonly type: string;
  readonly message: string;
  readonly spent: Spent | null;
  readonly details: FailureDetails | null;
}

const ENDINGS: Readonly<Record<string, string>> = {
  CancelledFailure: 'Cancelled',
  TerminatedFailure: 'Terminated',
  TimeoutFailure: 'TimedOut',
};

/** What Temporal shows of a failure whose message is encrypted. */
const ENCODED = 'Encoded failure';

/** The cure for data that a command cannot decode. */
export const KEYS_CURE = 'if it is encrypted, set TRAMITA_PAYLOAD_KEYS to the keys of the workers';

export function readableMessage(message: string): string {
  return message === ENCODED ? `its message cannot be read here: ${KEYS_CURE}` : message;
}

/** Undefined when `error` does not say how a flow ended. */
export function readFlowFailure(error: unknown): FlowFailure | undefined {
  const { name, cause } = error as { readonly name?: unknown; readonly cause?: unknown };
  if (name !== 'WorkflowFailedError' || typeof cause !== 'object' || cause === null) return undefined;
  const failure = cause as { readonly name?: string; readonly type?: unknown; readonly message?: string };
  const details = ((cause as { readonly details?: readonly unknown[] }).details?.[0] ?? null) as FailureDetails | null;
  return {
    type: typeof failure.type === 'string' ? failure.type : (ENDINGS[failure.name ?? ''] ?? 'Failed'),
    message: readableMessage(failure.message ?? ''),
    spent: details?.spent ?? null,
    details,
  };
}

/** `tramita: RefreshFailed: the refresh of … (spent 0.10)`. */
export function failureText({ type, message, spent }: FlowFailure): string {
  return `tramita: ${type}: ${withoutPrefix(message)}${spent === null ? '' : ` (spent ${spentText(spent)})`}`;
}

export function spentText({ known, unknown }: Spent): string {
  return unknown === 0 ? known : `${known} and ${unknown} charge(s) that the service has not reported`;
}
