/**
 * Public documents are listed only after a refresh that has brought them (interface, rule 14): an earlier list costs money and
 * shows nothing, or old documents. The check reads our own ledger and records, so it is free.
 */
import type { Parameters } from '../../contract/route.js';
import type { Cnj } from '../../contract/values/index.js';
import { REFRESH_GUARD, splitGuard } from '../../protocol/index.js';
import { freeCalls } from '../flow/calls.js';
import { stepOfFlow, type Flow } from '../flow/flow.js';

/** Separates our own switch from the parameters of a documents list. */
export function splitRefreshGuard(
  flow: Flow,
  call: { readonly operation: string; readonly params: Parameters },
): { readonly params: Parameters; readonly evenIfNotRefreshed: boolean } {
  const split = splitGuard(call);
  if (!split.ok) throw flow.fail('InvalidInput', split.problem);
  return split;
}

/** `step`: key of the first page. @throws the flow's `InvalidInput`, naming the pending refresh or what to start first. */
export async function checkDocumentsRefreshed(flow: Flow, cnj: Cnj | undefined, step: string): Promise<void> {
  const { account } = flow.settings;
  if (cnj === undefined) throw flow.fail('InvalidInput', 'input.params.cnj is missing. Nothing was sent');
  const found = await freeCalls(`look up refreshes of ${flow.label()}`).lookUpRefresh({
    account,
    cnj,
    list: stepOfFlow(flow, step),
  });
  switch (found.refresh) {
    case 'finished':
      return;
    case 'pending':
      throw flow.fail(
        'InvalidInput',
        `a refresh of ${flow.label()} is under way in workflow ${found.workflowId}: list its documents when that has ended. Nothing was sent`,
      );
    case 'none':
      throw flow.fail(
        'InvalidInput',
        `no refresh of ${flow.label()} with public documents has finished here: start refreshCase with "documents": true first, or give params.${REFRESH_GUARD}: true to callOperation or collectPages. Nothing was sent`,
      );
  }
}
