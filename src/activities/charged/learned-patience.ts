/**
 * How long a flow waits for a webhook, learned from whether they came: looked up once the answer is settled, never before a send.
 * A patience that the flow's input names is kept.
 */
import type { ChargedCallInput, ChargedCallResult } from '../../protocol/index.js';
import type { ActivityDeps } from '../deps.js';

export async function withLearnedPatience(
  deps: Pick<ActivityDeps, 'webhooksSilent'>,
  { account, webhookPatienceMs }: ChargedCallInput,
  result: ChargedCallResult,
): Promise<ChargedCallResult> {
  if (result.outcome !== 'PENDING' || !result.webhookExpected || webhookPatienceMs !== undefined) return result;
  const silent = await deps.webhooksSilent(account).catch(() => false);
  return silent ? { ...result, webhookExpected: false, webhooksSilent: true } : result;
}
