/**
 * For its stack trace query the SDK keeps the stack where each open promise was created: kilobytes of text, equal in all runs
 * that wait at the same line. Here runs share equal stacks, which changes nothing that a flow or the query can see. If a
 * version of the SDK keeps the stacks elsewhere, nothing is done.
 */
import { inWorkflowContext } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes';

type Stacks = ReturnType<typeof getActivator>['promiseStackStore']['promiseToStack'];
type Stack = Parameters<Stacks['set']>[1];

/** Stacks by their text. Our code has few; the limit is for a flow of the user's own that recurses without end. */
const MOST_STACKS = 1_000;
// eslint-disable-next-line no-restricted-syntax -- what one run puts in, another would have made equal
const shared = new Map<string, Stack>();

export function shareStacks(): void {
  if (!inWorkflowContext()) return;
  const activator = getActivator();
  if (!('promiseStackStore' in activator)) return;
  const stacks = activator.promiseStackStore.promiseToStack;
  // A second converter of this run, from a user's module beside ours, finds this done.
  if (Object.hasOwn(stacks, 'set')) return;
  const set = stacks.set.bind(stacks);
  const value: Stacks['set'] = (promise, stack) => set(promise, sharedStack(stack));
  Object.defineProperty(stacks, 'set', { value });
}

function sharedStack(stack: Stack): Stack {
  const known = shared.get(stack.formatted);
  if (known !== undefined) return known;
  if (shared.size < MOST_STACKS) shared.set(stack.formatted, stack);
  return stack;
}
