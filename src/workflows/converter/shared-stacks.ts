/**
 * For its stack trace query the SDK keeps where every open promise was made: kilobytes of text each, equal in all runs that wait
 * at the same line. Here runs share what is equal. It changes nothing that a flow or the query can see. Where an SDK keeps the
 * stacks elsewhere, nothing is done.
 */
import { inWorkflowContext } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes';

type Stacks = ReturnType<typeof getActivator>['promiseStackStore']['promiseToStack'];
type Stack = Parameters<Stacks['set']>[1];

/** By text. Lines of code are finite; the limit is for a flow of the user's own that recurses without end. */
const MOST_STACKS = 1_000;
// eslint-disable-next-line no-restricted-syntax -- what one run puts in, another would have made equal
const shared = new Map<string, Stack>();

export function shareStacks(): void {
  if (!inWorkflowContext()) return;
  const activator = getActivator();
  if (!('promiseStackStore' in activator)) return;
  const stacks = activator.promiseStackStore.promiseToStack;
  // a second converter of this run, which a user's module makes beside ours, finds it done
  if (Object.hasOwn(stacks, 'set')) return;
  const keep = stacks.set.bind(stacks);
  const value: Stacks['set'] = (promise, stack) => keep(promise, sharedStack(stack));
  Object.defineProperty(stacks, 'set', { value });
}

function sharedStack(stack: Stack): Stack {
  const known = shared.get(stack.formatted);
  if (known !== undefined) return known;
  if (shared.size < MOST_STACKS) shared.set(stack.formatted, stack);
  return stack;
}
