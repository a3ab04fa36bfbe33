/** The stored answers of a sync → notices and their texts. Free, and may be repeated: rows are keyed by their ids. */
import { readNotices, readPublication, type CivilDate } from '../../contract/index.js';
import type { SaveNoticesInput, SaveNoticesResult, SaveNoticeTextInput } from '../../protocol/index.js';
import type { ActivityDeps } from '../deps.js';
import { readDatedAnswer, readStoredAnswer } from '../stored-answer.js';
import { impossible } from '../to-failure.js';

type Deps = Pick<ActivityDeps, 'ledger' | 'notices' | 'clock'>;

const MOST_COUNTED = 100_000;

export async function saveNotices(deps: Deps, input: SaveNoticesInput): Promise<SaveNoticesResult> {
  const { account, oabs, today, intentId } = input;
  const answer = await readDatedAnswer(deps, account, intentId);
  const list = readNotices(answer?.json);
  if (answer === undefined || list === undefined) throw impossible(`ledger row ${intentId} holds no list of notices`);
  return deps.notices.save({
    ...{ account, oabs, notices: list.records },
    today: today as CivilDate,
    askedAtMs: answer.openedAtMs,
    nowMs: deps.clock.nowMs(),
  });
}

/** Newest first; `left` are those beyond the limit. */
export async function findNoticeTexts(
  deps: Deps,
  { account, oabs, limit }: { readonly account: string; readonly oabs: readonly string[]; readonly limit: number },
): Promise<{ readonly publicationIds: readonly string[]; readonly left: number }> {
  const missing = await deps.notices.withoutText(account, oabs, MOST_COUNTED);
  return { publicationIds: missing.slice(0, limit), left: Math.max(0, missing.length - limit) };
}

export async function saveNoticeText(deps: Deps, input: SaveNoticeTextInput): Promise<void> {
  const { account, publicationId, intentId } = input;
  const nowMs = deps.clock.nowMs();
  if (intentId === undefined) {
    // Not asked for again: the service knows no such publication, or refuses it.
    await deps.notices.saveText({ account, publicationId, data: null, nowMs });
    return;
  }
  const publication = readPublication(await readStoredAnswer(deps, account, intentId));
  if (publication === undefined) throw impossible(`ledger row ${intentId} holds no publication`);
  await deps.notices.saveText({ account, publicationId, data: publication.data, nowMs });
}
