/**
 * A payload converter with which a flow itself refuses what it cannot decode. The SDK decodes inside the workflow: a payload
 * that it cannot decode fails the task again and again, and blocks a flow that has paid. Here such an input, signal, update,
 * query or memo becomes a mark that the flow's own parsers refuse. Encoding stays as it is. So do results of activities, which
 * only our own workers write: their task fails until a worker with the right settings takes it.
 */
import type { Payload, PayloadConverter } from '@temporalio/common';
import { inWorkflowContext, workflowInfo } from '@temporalio/workflow';
import { isWithinDepth } from '../../contract/json.js';
import { undecodable } from '../../protocol/index.js';
import { shareStacks } from './shared-stacks.js';
import { leaveOutUnsetAttributes } from './unset-attributes.js';

type Context = Parameters<PayloadConverter['fromPayload']>[1];

/** `answersFor`: true for workflow types that refuse undecodable payloads themselves; for others the SDK's errors stay. */
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

/** The SDK copies a memo between threads, and copying a value of thousands of levels overflows the stack. */
const MAX_DEPTH = 200;
const TOO_DEEP = `JSON that is nested more than ${MAX_DEPTH} levels deep`;
const MAX_ENCODING = 40;

/** Names the encoding and the cure, and shows nothing of the content. */
function reasonOf({ metadata, data }: Payload): string {
  const given = metadata?.['encoding'];
  const encoding = String.fromCharCode(...(given ?? []).slice(0, MAX_ENCODING)).replace(/[^\x21-\x7e]/g, '?');
  if (encoding === '') return 'it names no encoding';
  if (encoding === 'binary/encrypted') {
    return 'encoding binary/encrypted: this worker has no key that can read it; the sender needs the TRAMITA_PAYLOAD_KEYS of the workers';
  }
  if (encoding !== 'json/plain') return `encoding ${encoding}: this worker reads json/plain only`;
  return (data?.length ?? 0) === 0 ? 'encoding json/plain without data' : 'encoding json/plain, but it is not JSON';
}
