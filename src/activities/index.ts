/**
 * Door of the activities: operations of the catalogue made into Temporal activities. `createActivities(deps)` gives the
 * charged ones (by operation id, for an account's own queue) and the free ones (for the main queue). Leaves decisions about
 * repeating, waiting and parking to the flows, money to the ledger, sockets to http.
 */
import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type {
  ChargedActivities,
  ChargedCallInput,
  ChargedCallResult,
  DownloadResult,
  FreeActivities,
  ReadLawyerPagesResult,
} from '../protocol/index.js';
import { awaitFinal } from './polling/await-final.js';
import { createErrorFinals } from './polling/error-finals.js';
import { awaitRelease } from './free/await-release.js';
import { runChargedCall } from './charged/charged-call.js';
import type { ActivityDeps } from './deps.js';
import { finishCollection, openCollection } from './remember/collections.js';
import { describeAccount } from './describe-account.js';
import { describeCall } from './charged/describe-call.js';
import { downloadDocuments } from './download-documents.js';
import { withHeartbeat } from './heartbeat.js';
import { commitImport, describeLawyer, saveFirstPage } from './lawyers/import-steps.js';
import { readLawyerPages, type PageCursor } from './lawyers/read-pages.js';
import { auditMonitors } from './monitors/audit-monitors.js';
import { planNoticeMonitor } from './monitors/plan-notice-monitor.js';
import { planNotices } from './notices/plan-notices.js';
import { takeListing } from './evidence/index.js';
import { findNoticeTexts, saveNoticeText, saveNotices } from './notices/save-notices.js';
import { dispatchPortfolio } from './portfolio/dispatch-portfolio.js';
import { doubtPending } from './polling/doubt-pending.js';
import { findRequest } from './polling/find-request.js';
import { lookUpRefresh } from './polling/look-up-refresh.js';
import { recordDecision } from './charged/record-decision.js';
import { resolveUnknown } from './charged/resolve-unknown.js';
import { settleFromSpool } from './charged/settle-from-spool.js';
import { isFileCall } from './charged/stored-file.js';
import { retryLater } from './to-failure.js';

export type { AccountDeps, ActivityDeps, ActivityLog, Clock } from './deps.js';
export type { SweepEnd, SweepRefresh, SweepRuns, SweepStart } from './portfolio/types.js';
export { noteQuietBalance } from './evidence/index.js';
export { decideRefresh, type RefreshVerdict } from './polling/refresh-proof.js';
export { isFileCall } from './charged/stored-file.js';
export { settleWholeSpool } from './charged/settle-from-spool.js';
export { nameOfError } from './to-failure.js';

/** The activities of a worker: `charged` for the queues of accounts, by operation id; `free` for the main queue. */
export interface Activities {
  readonly charged: ChargedActivities;
  readonly free: FreeActivities;
}

/** Makes the activities over their dependencies; what they do is in the files that they call. Opens nothing by itself. */
export function createActivities(deps: ActivityDeps): Activities {
  const errors = createErrorFinals();
  const charged =
    (operation: string) =>
    (input: ChargedCallInput): Promise<ChargedCallResult> => {
      const attempt = { attempt: Context.current().info.attempt, attemptToken: randomUUID() };
      const run = (): Promise<ChargedCallResult> => runChargedCall(deps, operation, input, attempt);
      // Only a file takes so long that its worker's death is worth noticing before the call's own time is over.
      return isFileCall(deps.catalogue.operationOf(operation)) ? withHeartbeat(run) : run();
    };
  return {
    charged: Object.fromEntries(deps.catalogue.operations.map(({ id }) => [id, charged(id)])) as ChargedActivities,
    free: {
      describeAccount: (input) => Promise.resolve(describeAccount(deps, input)),
      describeCall: (input) => Promise.resolve(describeCall(deps, input)),
      findRequest: (input) => free('look-up of the request', () => findRequest(deps, input)),
      openCollection: (input) => free('opening the collection', () => openCollection(deps, input)),
      finishCollection: (input) => free('closing the collection', () => finishCollection(deps, input)),
      lookUpRefresh: (input) => free('look-up of refreshes', () => lookUpRefresh(deps, input)),
      awaitFinal: (input) => {
        const { cancellationSignal: signal, info } = Context.current();
        const { workflowId = '' } = info.workflowExecution ?? {};
        return free('poll', () => withHeartbeat(() => awaitFinal(deps, input, { signal, workflowId, errors })));
      },
      doubtPending: (input) => {
        const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
        return free('doubting the charge', () => doubtPending(deps, input, workflowId));
      },
      awaitRelease: (input) => free('waiting for the service', () => awaitRelease(deps, input, asker())),
      resolveUnknown: (input) => {
        const { scheduledTimestampMs: scheduledAtMs, workflowType = '' } = Context.current().info;
        return free('look-up of the charge', () => resolveUnknown(deps, input, { scheduledAtMs, workflowType }));
      },
      takeListing: (input) => free('reading the listing', () => takeListing(deps, input, asker())),
      settleFromSpool: (input) => free('settling from the spool', () => settleFromSpool(deps, input)),
      recordDecision: (input) => {
        const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
        return free('recording the decision', () => recordDecision(deps, input, workflowId));
      },
      describeLawyer: (input) => Promise.resolve(describeLawyer(deps, input)),
      saveFirstPage: (input) => free('storing page 1', () => saveFirstPage(deps, input)),
      readLawyerPages: (input) => {
        const context = Context.current();
        const { heartbeatDetails } = context.info as { readonly heartbeatDetails?: PageCursor };
        const { attempt } = context.info;
        const rest = { resume: heartbeatDetails, attempt, signal: context.cancellationSignal };
        return free('reading pages', () =>
          withHeartbeat<ReadLawyerPagesResult, PageCursor>(
            (heartbeat) => readLawyerPages(deps, input, { ...rest, heartbeat }),
            heartbeatDetails,
          ),
        );
      },
      commitImport: (input) => free('committing the import', () => commitImport(deps, input)),
      planNotices: (input) => free('planning the queries', () => planNotices(deps, input)),
      saveNotices: (input) => free('storing notices', () => saveNotices(deps, input)),
      findNoticeTexts: (input) => free('finding texts', () => findNoticeTexts(deps, input)),
      saveNoticeText: (input) => free('storing a text', () => saveNoticeText(deps, input)),
      planNoticeMonitor: (input) => free('listing monitors', () => planNoticeMonitor(deps, input, asker())),
      auditMonitors: (input) => free('auditing monitors', () => auditMonitors(deps, input, asker())),
      dispatchPortfolio: (input) => {
        const context = Context.current();
        return free('dispatching the portfolio', () =>
          dispatchPortfolio(deps, input, { heartbeat: () => context.heartbeat(), signal: context.cancellationSignal }),
        );
      },
      downloadDocuments: (input) => {
        const { cancellationSignal: signal } = Context.current();
        return free('download', () =>
          withHeartbeat<DownloadResult, number>((heartbeat) => downloadDocuments(deps, input, { heartbeat, signal })),
        );
      },
    },
  };
}

/** For whom a free activity reads: a charge that should not be is booked under that flow. */
function asker() {
  const { cancellationSignal: signal, info } = Context.current();
  const { workflowId = '', runId = '' } = info.workflowExecution ?? {};
  const reader = { workflowId, firstRunId: runId, workflowType: info.workflowType ?? '' };
  return { signal, reader, attempt: info.attempt };
}

/** Unexpected errors of free activities become retryable failures without the library's text. */
async function free<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw retryLater(what, error);
  }
}
