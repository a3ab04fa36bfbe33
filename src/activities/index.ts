/**
 * Door of the activities: operations of the catalogue as Temporal activities. `createActivities(deps)` returns the charged
 * ones (by operation id, for an account's own queue) and the free ones (for the main queue). Decisions about repeating,
 * waiting and parking belong to the flows, money to the ledger, sockets to http.
 */
import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type {
  AwaitFinalInput,
  AwaitFinalResult,
  ChargedActivities,
  ChargedCallInput,
  ChargedCallResult,
  DispatchInput,
  DownloadInput,
  DownloadResult,
  FreeActivities,
  ReadLawyerPagesInput,
  ReadLawyerPagesResult,
  StepOfFlow,
  WorkerVersion,
} from '../protocol/index.js';
import { awaitFinal } from './polling/await-final.js';
import { createErrorFinals, type ErrorFinals } from './polling/error-finals.js';
import { awaitRelease } from './free/await-release.js';
import { bookUnder } from './free/collect-charges.js';
import { keepFile } from './free/keep-file.js';
import { runChargedCall } from './charged/charged-call.js';
import { currentAsker, type Asker } from './asker.js';
import { correctIfChanged, type ActivityDeps } from './deps.js';
import { finishCollection, openCollection } from './remember/collections.js';
import { describeAccount } from './configured-account.js';
import { describeCall } from './charged/describe-call.js';
import { downloadDocuments } from './download-documents.js';
import { withHeartbeat } from './heartbeat.js';
import { commitImport, describeLawyer, saveFirstPage } from './lawyers/import-steps.js';
import { readLawyerPages, type PageCursor } from './lawyers/read-pages.js';
import { auditMonitors } from './monitors/audit-monitors.js';
import { planNoticeMonitor } from './monitors/plan-notice-monitor.js';
import { planNotices } from './notices/plan-notices.js';
import { takeListing } from './evidence/listing.js';
import { findNoticeTexts, saveNoticeText, saveNotices } from './notices/save-notices.js';
import { dispatchPortfolio } from './portfolio/dispatch-portfolio.js';
import { doubtPending } from './polling/doubt-pending.js';
import { findRequest, lookUpRefresh } from './polling/look-up.js';
import { recordDecision } from './charged/record-decision.js';
import { resolveUnknown } from './evidence/resolve-unknown.js';
import { storeSpooledAnswer } from './charged/settle-from-spool.js';
import { isFileCall } from './charged/stored-file.js';
import { retryLater } from './to-failure.js';

export {
  correctIfChanged,
  machineNowMs,
  type AccountDeps,
  type ActivityDeps,
  type ActivityLog,
  type SweepEnd,
  type SweepRun,
  type SweepRuns,
} from './deps.js';
// For cost plans, the worker and its housekeeping.
export { currentAsker } from './asker.js';
export { describeCall } from './charged/describe-call.js';
export { tellsItsEnd } from './charged/outcome-of-intent.js';
export { describeLawyer } from './lawyers/import-steps.js';
export { peekNotices } from './notices/plan-notices.js';
export { briefWork, endBriefly } from './polling/brief-wait.js';
export { lookUpRefresh } from './polling/look-up.js';
export { readStored } from './readings/read-stored.js';
export { peekCollection } from './remember/collections.js';
export { noteQuietBalance } from './evidence/balance.js';
export { isFileCall } from './charged/stored-file.js';
export { settleWholeSpool } from './charged/settle-from-spool.js';

/** The activities of a worker: `charged` for the queues of accounts, by operation id; `free` for the main queue. */
export interface Activities {
  readonly charged: ChargedActivities;
  readonly free: FreeActivities;
}

/** One poll of pending work by the call that began it, before its flow polls. Like that poll it throws "not yet". */
export type LookAtWork = (
  input: AwaitFinalInput,
  asker: Pick<Asker, 'signal' | 'workflowId' | 'activity'> & Partial<Pick<Asker, 'withinMs'>>,
) => Promise<AwaitFinalResult>;

/** Binds the activities to their dependencies. Opens nothing by itself. */
export function createActivities(deps: ActivityDeps): Activities & { readonly look: LookAtWork } {
  const errors = createErrorFinals();
  const look: LookAtWork = (input, asker) => awaitFinal(bookUnder(deps, asker), input, { ...asker, errors });
  return { look, charged: chargedActivities(deps), free: freeActivities(deps, errors) };
}

function chargedActivities(deps: ActivityDeps): ChargedActivities {
  const charged =
    (operation: string) =>
    (input: ChargedCallInput): Promise<ChargedCallResult> => {
      const attempt = { attempt: Context.current().info.attempt, attemptToken: randomUUID() };
      const run = async (): Promise<ChargedCallResult> => {
        // Before its age is measured. If it fails, the intent is not written before it succeeds.
        await correctIfChanged(deps.clock);
        return runChargedCall(bookUnder(deps, currentAsker(input)), operation, input, attempt);
      };
      // Only a file takes so long that a dead worker should be noticed before the call times out.
      return isFileCall(deps.catalogue.operationOf(operation)) ? withHeartbeat(run) : run();
    };
  return Object.fromEntries(deps.catalogue.operations.map(({ id }) => [id, charged(id)])) as ChargedActivities;
}

function freeActivities(deps: ActivityDeps, errors: ErrorFinals): FreeActivities {
  /** Unexpected errors become retryable failures without the library's text. */
  const free =
    <Input, Result>(what: string, run: (deps: ActivityDeps, input: Input, asker: Asker) => Promise<Result>) =>
    async (input: Input): Promise<Result> => {
      try {
        await correctIfChanged(deps.clock);
        const asker = currentAsker(input);
        return await run(bookUnder(deps, asker), input, asker);
      } catch (error) {
        throw retryLater(what, error);
      }
    };
  return {
    describeAccount: (input) => Promise.resolve(describeAccount(deps, input)),
    describeCall: (input) => Promise.resolve(describeCall(deps, input)),
    isSettledVersion: free('looking up the version', (_deps, version: WorkerVersion) => deps.isSettledVersion(version)),
    describeLawyer: (input) => Promise.resolve(describeLawyer(deps, input)),
    findRequest: free('looking up the request', findRequest),
    openCollection: free('opening the collection', openCollection),
    finishCollection: free('closing the collection', finishCollection),
    lookUpRefresh: free('looking up refreshes', lookUpRefresh),
    mayBePaid: free('looking up the step', ({ ledger }, step: StepOfFlow) => ledger.mayBePaid(step)),
    awaitFinal: free('poll', (own, input: AwaitFinalInput, asker) =>
      withHeartbeat(() => awaitFinal(own, input, { ...asker, errors })),
    ),
    doubtPending: free('doubting the charge', doubtPending),
    awaitRelease: free('waiting for the service', awaitRelease),
    resolveUnknown: free('looking up the charge', resolveUnknown),
    takeListing: free('reading the listing', takeListing),
    settleFromSpool: free('settling from the spool', storeSpooledAnswer),
    recordDecision: free('recording the decision', recordDecision),
    saveFirstPage: free('storing page 1', saveFirstPage),
    readLawyerPages: free('reading pages', (own, input: ReadLawyerPagesInput, { attempt, activity, signal }) => {
      const { heartbeatDetails: resume } = Context.current().info as { readonly heartbeatDetails?: PageCursor };
      return withHeartbeat<ReadLawyerPagesResult, PageCursor>(
        (heartbeat) => readLawyerPages(own, input, { resume, attempt, activity, signal, heartbeat }),
        resume,
      );
    }),
    commitImport: free('committing the import', commitImport),
    planNotices: free('planning the queries', planNotices),
    saveNotices: free('storing notices', saveNotices),
    findNoticeTexts: free('finding texts', findNoticeTexts),
    saveNoticeText: free('storing a text', saveNoticeText),
    planNoticeMonitor: free('listing monitors', planNoticeMonitor),
    auditMonitors: free('auditing monitors', auditMonitors),
    dispatchPortfolio: free('dispatching the portfolio', (_deps, input: DispatchInput, asker) =>
      withHeartbeat(() => dispatchPortfolio(deps, input, asker)),
    ),
    keepFile: free('uploading the file', (_deps, input: { readonly sha256: string }, asker) =>
      withHeartbeat(() => keepFile(deps, input.sha256, asker)),
    ),
    downloadDocuments: free('download', (_deps, input: DownloadInput, { signal, attempt }) =>
      withHeartbeat<DownloadResult, number>((heartbeat) =>
        downloadDocuments(deps, input, { heartbeat, signal, attempt }),
      ),
    ),
  };
}
