/**
 * `collectPages` (design 11): the pages of one question, one charged call each, up to `maxPages`, a cap, or the last page. A run
 * that did not come to the end leaves a collection that the next run goes on with; one that did is asked anew unless `maxAge`
 * says otherwise. Items go to the records; the result counts them.
 */
import { patched } from '@temporalio/workflow';
import { formatCnj, parseCnj } from '../contract/values/index.js';
import type { CollectPagesResult, PagesStop } from '../protocol/index.js';
import { parseCollectPagesInput } from '../protocol/index.js';
import { checkAccount } from './flow/account.js';
import { freeCalls } from './flow/calls.js';
import { describe } from './parts/described-call.js';
import { checkDocumentsRefreshed, splitRefreshGuard } from './parts/documents-guard.js';
import { openFlow } from './flow/flow.js';
import { readInput } from './flow/read-input.js';
import { walkPages } from './parts/walk-pages.js';

export async function collectPages(input: unknown): Promise<CollectPagesResult> {
  const settings = readInput(parseCollectPagesInput, input);
  const { account, operation, maxPages, maxAgeMs } = settings;
  const parsed = parseCnj(settings.params['cnj']);
  const cnj = parsed.ok ? parsed.cnj : undefined;
  const flow = openFlow({
    type: 'collectPages',
    settings,
    ...(cnj === undefined ? {} : { caseAttribute: cnj }),
    label: cnj === undefined ? operation : formatCnj(cnj),
  });
  await checkAccount(flow, cnj);

  const { params, evenIfNotRefreshed } = splitRefreshGuard(flow, settings);
  const call = await describe(flow, { operation, params });
  if (operation === 'listLawyerCases') {
    throw flow.fail(
      'InvalidInput',
      'input.operation listLawyerCases has versions that must not be mixed: start importLawyerCases. Nothing was sent',
    );
  }
  if (call.paging === 'none') {
    throw flow.fail('InvalidInput', `input.operation ${operation} has no pages: start callOperation. Nothing was sent`);
  }
  if (operation === 'listPublicDocuments' && !evenIfNotRefreshed) await checkDocumentsRefreshed(flow, cnj ?? '');

  const collection = { account, key: call.token };
  const reuse = await freeCalls(`open the collection of ${operation}`).openCollection({
    ...collection,
    operation,
    ...(maxAgeMs === undefined ? {} : { maxAgeMs }),
  });
  const end = await walkPages(flow, {
    ...{ call, maxPages, reuse, step: operation, view: 'page' },
    onPage: ({ total }, sum) => {
      flow.count('pages', sum.pages);
      flow.count('items', sum.items);
      if (total !== null) flow.count('total', total);
    },
  });
  const { pages, items, complete, stoppedBy, search } = end;
  if (!staysOpen(stoppedBy)) {
    await freeCalls(`close the collection of ${operation}`).finishCollection({ ...collection, pages, items, complete });
  }
  flow.enter({ state: 'done' });
  return {
    ...{ pages, items, complete, search },
    ...(stoppedBy === undefined ? {} : { stoppedBy }),
    spent: flow.spent(),
    receipts: flow.receipts(),
  };
}

/**
 * There is more behind `maxPages`, so the next run goes on there. After any other stop asking on would lead nowhere, and the
 * next run asks anew. Runs from before this patch close the collection after every stop.
 */
function staysOpen(stoppedBy: PagesStop | undefined): boolean {
  return stoppedBy === 'maxPages' && patched('collection-stays-open-at-max-pages');
}
