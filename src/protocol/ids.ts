/** Default workflow ids. Pure. `caseKey` is the 20-digit number, or a token where the account masks. */

/** Default workflow id of `refreshCase`. */
export function refreshCaseId(account: string, caseKey: string): string {
  return `refresh/${account}/${caseKey}`;
}

/** Default workflow id of `importLawyerCases`. `token`: of the registration, which is personal. */
export function importLawyerCasesId(account: string, token: string): string {
  return `import/${account}/${token}`;
}

/** Default workflow id of `syncNotices`. `token`: of the sorted registrations, which are personal. */
export function syncNoticesId(account: string, token: string): string {
  return `notices/${account}/${token}`;
}

/** Default workflow id of `ensureNoticeMonitor`. `token`: of the sorted registrations, which are personal. */
export function noticeMonitorId(account: string, token: string): string {
  return `monitor/${account}/notices/${token}`;
}

/** Default workflow id of `createRadar` and `createCaseMonitor`. `reference`: the caller's own name. */
export function monitorId(account: string, kind: 'radar' | 'case', reference: string): string {
  return `monitor/${account}/${kind}/${reference}`;
}

/** Default workflow id of `deactivateMonitor`. */
export function deactivateMonitorId(account: string, kind: string, id: string): string {
  return `monitor/${account}/off/${kind}/${id}`;
}

/** Default workflow id of `auditMonitors`: one per account. */
export function auditMonitorsId(account: string): string {
  return `monitor/${account}/audit`;
}

/** Default workflow id of `callOperation`. `token`: of parameters and body, which may be personal. */
export function callOperationId(call: {
  readonly account: string;
  readonly operation: string;
  readonly token: string;
}): string {
  return `call/${call.account}/${call.operation}/${call.token}`;
}

/** Default workflow id of `collectPages`. `token`: of the parameters alone, so that another `maxPages` is the same collection. */
export function collectPagesId(collection: {
  readonly account: string;
  readonly operation: string;
  readonly token: string;
}): string {
  return `pages/${collection.account}/${collection.operation}/${collection.token}`;
}

/** Default workflow id of `readCase`. `token`: of everything but the case. */
export function readCaseId(account: string, caseKey: string, token: string): string {
  return `case/${account}/${caseKey}/${token}`;
}

/** Default workflow id of `summarizeCase`. */
export function summarizeCaseId(account: string, caseKey: string): string {
  return `summary/${account}/${caseKey}`;
}

/** Default workflow id of `awaitRequest`. */
export function awaitRequestId(account: string, requestId: string): string {
  return `request/${account}/${requestId}`;
}

/** Default workflow id of `searchBoard`. `token`: of period, filters and pages; filters may be personal. */
export function searchBoardId(account: string, token: string): string {
  return `board/${account}/${token}`;
}

/** Default workflow id of `refreshPortfolio`. */
export function refreshPortfolioId(account: string, name: string): string {
  return `portfolio/${account}/${name}`;
}
