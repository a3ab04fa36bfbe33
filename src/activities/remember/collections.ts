/**
 * A collection is the set of pages of one query. An unfinished one goes on with the pages that it has paid for, for a day or for
 * as long as the caller allows. A finished one is reused only if the caller allows it.
 */
import { present } from '../../contract/index.js';
import type { FinishCollectionInput, OpenCollectionInput, OpenedCollection } from '../../protocol/index.js';
import type { ActivityDeps } from '../deps.js';

/** How old a page of an unfinished collection may be if the caller does not say. */
const RESUME_WITHIN_MS = 86_400_000;

type Deps = Pick<ActivityDeps, 'collections' | 'clock'>;

export async function openCollection(deps: Deps, input: OpenCollectionInput): Promise<OpenedCollection> {
  const { account, key, operation, maxAgeMs } = input;
  const nowMs = deps.clock.nowMs();
  const opened = await deps.collections.open({
    account,
    key,
    operation,
    nowMs,
    ...present({ reuseFinishedMs: maxAgeMs }),
  });
  return reuseOf(opened, maxAgeMs);
}

/** What {@link openCollection} would give now. */
export async function peekCollection(
  deps: Pick<Deps, 'collections'> & { readonly clock: Pick<ActivityDeps['clock'], 'nowMs'> },
  { account, key, maxAgeMs }: Omit<OpenCollectionInput, 'operation'>,
): Promise<OpenedCollection> {
  const nowMs = deps.clock.nowMs();
  return reuseOf(
    await deps.collections.peek({ account, key, nowMs, ...present({ reuseFinishedMs: maxAgeMs }) }),
    maxAgeMs,
  );
}

function reuseOf(
  { begun, startedAtMs }: Awaited<ReturnType<ActivityDeps['collections']['open']>>,
  maxAgeMs: number | undefined,
): OpenedCollection {
  return begun ? {} : { maxAgeMs: maxAgeMs ?? RESUME_WITHIN_MS, notBeforeMs: startedAtMs };
}

export async function finishCollection(deps: Deps, input: FinishCollectionInput): Promise<void> {
  await deps.collections.finish({ ...input, nowMs: deps.clock.nowMs() });
}
