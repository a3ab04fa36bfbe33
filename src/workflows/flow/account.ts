/**
 * Is the account configured, and does it mask case numbers? Asked only where it can matter: for `default` the charged queue
 * always exists, and its outcomes tell the mask; any other name would wait forever on a queue without a worker.
 */
import { present } from '../../contract/values/index.js';
import { DEFAULT_ACCOUNT } from '../../protocol/index.js';
import { localCalls } from './calls.js';
import type { Flow } from './flow.js';

export async function checkAccount(flow: Flow, cnj?: string): Promise<void> {
  const { account } = flow.settings;
  if (account === DEFAULT_ACCOUNT) return;
  const description = await localCalls().describeAccount({ account, ...present({ cnj }) });
  if (!description.known) {
    throw flow.fail(
      'InvalidInput',
      `input.account "${account}" is not configured; configured accounts: ${description.accounts.join(', ')}. Add it under "accounts" in the TRAMITA_CONFIG file`,
    );
  }
  if (description.caseAttribute !== undefined) flow.maskCase(description.caseAttribute);
}
