/**
 * Arguments of the flows' charged calls, and problems that flows refuse before they pay. They are here because the plan of a
 * start needs them too: the flows send by them, `planFlow` counts by them. Pure.
 */
import type { JsonObject } from '../contract/json.js';
import type { Parameters } from '../contract/route.js';
import { present, shownJson } from '../contract/values/index.js';
import type { NextPageStep, PageFactsReading } from './activities/readings.js';
import type { DescribedCall } from './activities/step.js';
import type { FlowSettings } from './flows/index.js';

/** Texts of publications that one run of `syncNotices` buys at most: keeps its history small. */
export const MAX_TEXTS = 400;

export const REFRESH_GUARD = 'evenIfNotRefreshed';

type SplitGuard =
  | { readonly ok: true; readonly params: Parameters; readonly evenIfNotRefreshed: boolean }
  | { readonly ok: false; readonly problem: string };

/** Separates our own switch from the parameters of a documents list. */
export function splitGuard({
  operation,
  params,
}: {
  readonly operation: string;
  readonly params: Parameters;
}): SplitGuard {
  if (operation !== 'listPublicDocuments' || !Object.hasOwn(params, REFRESH_GUARD)) {
    return { ok: true, params, evenIfNotRefreshed: false };
  }
  const { [REFRESH_GUARD]: given, ...rest } = params;
  if (typeof given !== 'boolean') {
    return { ok: false, problem: `input.params.${REFRESH_GUARD} must be true or false; seen: ${shownJson(given)}` };
  }
  return { ok: true, params: rest, evenIfNotRefreshed: given };
}

/** Why `callOperation` does not take this call: it alone would mislead, and another flow does the whole. */
export function reachProblem(operation: string, params: Parameters): string | undefined {
  if (operation === 'listLawyerCases' && (params['page'] ?? '1') !== '1') {
    return 'input.params.page of listLawyerCases can only be 1: further pages belong to a version of the list. Start importLawyerCases. Nothing was sent';
  }
  if (operation === 'getRequest') {
    return 'input.operation getRequest repeats the answer of another call. Start awaitRequest with the request id. Nothing was sent';
  }
  return undefined;
}

/** Why `collectPages` does not take this operation. */
export function pagesProblem(operation: string, paging: DescribedCall['paging']): string | undefined {
  if (operation === 'listLawyerCases') {
    return 'input.operation listLawyerCases has versions that must not be mixed. Start importLawyerCases. Nothing was sent';
  }
  return paging === 'none'
    ? `input.operation ${operation} has no pages. Start callOperation. Nothing was sent`
    : undefined;
}

export type FollowingPage = Extract<NextPageStep, { readonly key: string }>;

/** The arguments that ask for a page: for the first one, or for the one that the page before has named. */
export function argumentsOfPage(
  { params, pageParameter = 'page' }: Pick<DescribedCall, 'params' | 'pageParameter'>,
  following: FollowingPage | undefined,
): { readonly params: Parameters; readonly target?: string } {
  if (following === undefined) return { params };
  const { [pageParameter]: _page, ...rest } = params;
  switch (following.kind) {
    case 'link':
      return { params, target: following.target };
    case 'cursor':
      return { params: { ...rest, cursor: following.cursor, ...present({ li: following.li }) } };
    case 'page':
      return { params: { ...rest, [pageParameter]: following.page } };
  }
}

/**
 * What follows a page that reports a total of items and says nothing about pages. After a page that was asked for by its
 * number, the next number follows until all have come; `items`: on all pages so far. Undefined in all other cases.
 */
export function nextByTotal(
  { params, pageParameter = 'page' }: Pick<DescribedCall, 'params' | 'pageParameter'>,
  { next, total }: Pick<PageFactsReading, 'next' | 'total'>,
  { following, items }: { readonly following: FollowingPage | undefined; readonly items: number },
): NextPageStep | undefined {
  const isFromFirst = (params[pageParameter] ?? '1') === '1';
  if (next.kind !== 'unsaid' || total === null || following?.kind !== 'page' || !isFromFirst) return undefined;
  const page = following.page + 1;
  return items < total ? { kind: 'page', page, key: String(page) } : { kind: 'end' };
}

export function noticeQuery(oabs: readonly string[], desde: string | null): Readonly<Record<string, string>> {
  return { oabs: oabs.join(','), ...present({ desde: desde ?? undefined }) };
}

/** Except for the first, these operations exist only if configuration adds them under these ids. */
export const DEACTIVATIONS = {
  administrative: 'deactivateAdminMonitor',
  notices: 'deactivateNoticeMonitor',
  radar: 'deactivateRadar',
  case: 'deactivateCaseMonitor',
} as const satisfies Readonly<Record<FlowSettings<'deactivateMonitor'>['kind'], string>>;

/** Terms, gazettes and address of a notice monitor, as the service's body has them. */
export function noticeMonitorBody({
  terms,
  origins,
  webhookUrl,
}: Pick<FlowSettings<'ensureNoticeMonitor'>, 'terms' | 'origins' | 'webhookUrl'>): JsonObject {
  return present({ termos_auxiliares: terms, origens_ids: origins, webhook_url: webhookUrl });
}

/** A radar or a case monitor as it is created, and the key under which it is paid once. */
export function monitorToCreate({ definition, webhookUrl, reference, once = reference }: FlowSettings<'createRadar'>): {
  readonly body: JsonObject;
  readonly once: string;
} {
  return { body: { ...definition, ...present({ webhook_url: webhookUrl }) }, once };
}
