/**
 * A payload converter that lets a flow answer for what it cannot read. The SDK decodes inside the workflow; what it cannot decode
 * there fails the task, again and again, and freezes a flow that has paid. Here inputs, signals, updates, queries and memos become
 * a mark that the flow's own parsers refuse. Everything else stays as it is: what is written, and results of activities, which
 * only our own workers write: a worker that cannot read one fails its task until one with the right settings takes it.
 */
import type { Payload, PayloadConverter } from '@temporalio/common';
import { inWorkflowContext, workflowInfo } from '@temporalio/workflow';
import { isWithinDepth } from '../../contract/json.js';
import { undecodable } from '../../protocol/index.js';
import { shareStacks } from './shared-stacks.js';
import { leaveOutUnsetAttributes } from './unset-attributes.js';

type Context = Parameters<PayloadConverter['fromPayload']>[1];

/** `answersFor`: whether runs of this workflow type refuse what cannot be decoded; of others the SDK's errors stay. */
export function createTolerantConverter(
  inner: PayloadConverter,
  answersFor: (workflowType: string) => boolean,
): PayloadConverter {
  leaveOutUnsetAttributes();
  shareStacks();
  return {
    toPayload: (...given) => inner.toPayload(...given),
    fromPayload: <T>(...given: Parameters<typeof inner.fromPayload<T>>): T => {
      const [payload, context] = given;
      const isOurs = isFromOutside(context) && answersFor(workflowInfo().workflowType);
      try {
        const value = inner.fromPayload(...given);
        return isOurs && !isWithinDepth(value, MAX_DEPTH) ? (undecodable(TOO_DEEP) as T) : value;
      } catch (error) {
        if (!isOurs) throw error;
        return undecodable(reasonOf(payload)) as T;
      }
    },
    ...(inner.validateConverterHint === undefined
      ? {}
      : { validateConverterHint: (hint) => inner.validateConverterHint?.(hint) ?? false }),
  };
}

function isFromOutside(context: Context): boolean {
  return inWorkflowContext() && context?.type !== 'activity';
}

/** The SDK copies a memo from thread to thread, and a copy of what is nested by the thousand overflows the stack. */
const MAX_DEPTH = 200;
const TOO_DEEP = `JSON that is nested more than ${MAX_DEPTH} levels deep`;
const MAX_ENCODING = 40;

/** Names the encoding and the cure, and shows nothing of the content. */
function reasonOf({ metadata, data }: Payload): string {
  const given = metadata?.['encoding'];
  const encoding = String.fromCharCode(...(given ?? []).slice(0, MAX_ENCODING)).replace(/[^\x21-\x7e]/g, '?');
  if (encoding === '') return 'it names no encoding';
  if (encoding === 'binary/encrypted') {
    return 'encoding binary/encrypted: this worker has no key that reads it here; the sender needs the TRAMITA_PAYLOAD_KEYS of the workers';
  }
  if (encoding !== 'json/plain') return `encoding ${encoding}: this worker reads json/plain only`;
  return (data?.length ?? 0) === 0 ? 'encoding json/plain without data' : 'encoding json/plain, but it is no JSON';
}
