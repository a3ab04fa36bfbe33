/**
 * `syncNotices`: one charged query for each batch of registrations, from its watermark minus an overlap → rows, deduplicated by
 * id → with `fullText`, one charged call per publication that has no text yet. The charged calls are the batches of the plan
 * and at most {@link MAX_TEXTS} texts; further texts come with the next sync.
 */
import { present } from '../contract/values/index.js';
import { ApplicationFailure } from '@temporalio/common';
import { patched } from '@temporalio/workflow';
import {
  FLOWS,
  MAX_TEXTS,
  noticeQuery,
  type FlowSettings,
  type NoticesPlan,
  type SaveNoticesResult,
  type SyncNoticesResult,
} from '../protocol/index.js';
import { beginFlow } from './flow/begin-flow.js';
import { defineFlow } from './flow/define-flow.js';
import { freeCalls } from './flow/calls.js';
import { runChargedStep, type DoneCall } from './step/charged-step.js';
import type { ChargedStep } from './step/step-run.js';
import type { Flow } from './flow/flow.js';
import { readInput } from './flow/read-input.js';
import { describe } from './parts/described-call.js';
import { refusalOf, unlessMissing } from './parts/unless-missing.js';

export const syncNotices = defineFlow('syncNotices', async (input, ...more): Promise<SyncNoticesResult> => {
  const settings = readInput(FLOWS.syncNotices.parse, input, more);
  const { account, oabs, since, once, fullText } = settings;
  const flow = await beginFlow({ type: 'syncNotices', settings, label: `${oabs.length} registrations` });
  const plan = await freeCalls('plan the queries').planNotices({
    account,
    oabs,
    firstRunId: flow.firstRunId,
    ...present({ since, once }),
  });
  const { problem } = plan;
  if (problem !== undefined && patched('a-first-day-to-come-is-refused')) {
    throw flow.fail('InvalidInput', `${problem}. Nothing was sent`, { operation: 'listNotices' });
  }
  await checkBatches(flow, plan);
  flow.count({ queries: plan.batches.length });

  let seen = 0;
  let added = 0;
  let watermark = plan.today;
  const unread: string[] = [];
  const unmonitored: string[] = [];
  for (const [index, batch] of plan.batches.entries()) {
    const saved = await readBatch(flow, plan, index, batch);
    seen += saved.seen;
    added += saved.added;
    if (saved.isUnread) unread.push(...batch.oabs);
    unmonitored.push(...(saved.unmonitored ?? []));
    if (saved.readUntil !== undefined && saved.readUntil < watermark) watermark = saved.readUntil;
    flow.count({ seen, new: added });
  }
  const texts = fullText ? await readTexts(flow, settings) : { read: 0, left: 0 };

  return {
    new: added,
    seen,
    watermark,
    fullTexts: texts.read,
    ...present({
      textsLeft: texts.left > 0 ? texts.left : undefined,
      unread: unread.length > 0 ? unread : undefined,
      unmonitored: unmonitored.length > 0 ? unmonitored : undefined,
      gap: plan.gap ?? undefined,
    }),
    ...flow.end(),
  };
});

/** Validates all queries before the first one is paid. */
async function checkBatches(flow: Flow, plan: NoticesPlan): Promise<void> {
  for (const { oabs, desde } of plan.batches) {
    const call = { operation: 'listNotices', params: noticeQuery(oabs, desde) };
    await describe(flow, call, { 'params.oabs': 'oabs', 'params.desde': 'since' });
  }
}

async function readBatch(
  flow: Flow,
  plan: NoticesPlan,
  index: number,
  { oabs, desde }: NoticesPlan['batches'][number],
): Promise<SaveNoticesResult & { readonly isUnread: boolean }> {
  const { account, maxAgeMs } = flow.settings;
  const call = await unlessMissing(flow, {
    step: `listNotices/${index + 1}`,
    operation: 'listNotices',
    params: noticeQuery(oabs, desde),
    view: 'notices',
    flags: [],
    title: `GET notices ${index + 1}/${plan.batches.length}`,
    ...present({ maxAgeMs }),
  });
  const isMissing = 'missing' in call;
  const saved = await freeCalls(`store notices ${index + 1}`).saveNotices({
    account,
    oabs,
    today: plan.today,
    intentId: isMissing ? '' : (call.intentId ?? ''),
    ...present({ desde: desde ?? undefined }),
    ...(isMissing ? { missing: { looked: call.looked, askedAtMs: call.askedAtMs } } : {}),
  });
  return { ...saved, isUnread: isMissing && !call.looked };
}

async function readTexts(
  flow: Flow,
  { account, oabs, maxAgeMs }: FlowSettings<'syncNotices'>,
): Promise<{ readonly read: number; readonly left: number }> {
  const { publicationIds, left } = await freeCalls('find missing texts').findNoticeTexts({
    account,
    oabs,
    limit: MAX_TEXTS,
    run: { workflowId: flow.workflowId, firstRunId: flow.firstRunId },
  });
  let refused: string[] = [];
  let read = 0;
  for (const publicationId of publicationIds) {
    const call = await unlessRefused(flow, {
      step: `getPublication/${publicationId}`,
      operation: 'getPublication',
      params: { diarioId: publicationId },
      flags: [],
      title: `GET publication ${read + 1}/${publicationIds.length}`,
      ...present({ maxAgeMs }),
    });
    if (call === 'refused') {
      refused.push(publicationId);
      continue;
    }
    await freeCalls('store a text').saveNoticeText({
      account,
      publicationId,
      ...present({ intentId: call === 'gone' ? undefined : call.intentId }),
    });
    if (call === 'gone') continue;
    read += 1;
    flow.count({ fullTexts: read });
    // A later text was not refused, so the refusals are about these publications: they are not asked for again.
    for (const each of refused)
      await freeCalls('store that a text was refused').saveNoticeText({ account, publicationId: each });
    refused = [];
  }
  // If the service refused all texts from some point on, that may be temporary: the next sync asks again.
  return { read, left: left + refused.length };
}

/**
 * One text that does not come must not stop the others. `gone`: the service charged for it without giving the text; it is never
 * asked for again. `refused`: perhaps only for now, because a gateway also answers that a publication is not there.
 */
async function unlessRefused(flow: Flow, step: ChargedStep): Promise<DoneCall | 'gone' | 'refused'> {
  try {
    return await runChargedStep(flow, step);
  } catch (error) {
    const type = error instanceof ApplicationFailure ? error.type : undefined;
    switch (type) {
      case 'Rejected':
      case 'InvalidInput':
        if (!patched('refused-texts-are-left-out')) throw error;
        break;
      case 'NotFound':
        if (!patched('missing-texts-are-as-refused')) return 'gone';
        break;
      case 'ChargedLost':
        if (!patched('missing-texts-are-as-refused')) throw error;
        return 'gone';
      default:
        throw error;
    }
    const charged = refusalOf(flow, step)?.charged ?? '0';
    return charged === '0' ? 'refused' : 'gone';
  }
}
