/** Default workflow ids (design 7). Pure. `caseKey` is the 20-digit number, or a token where the account masks. */

export function refreshCaseId(account: string, caseKey: string): string {
  return `refresh/${account}/${caseKey}`;
}

/** `token`: of the sorted registrations, which are personal. */
export function syncNoticesId(account: string, token: string): string {
  return `notices/${account}/${token}`;
}

export function noticeMonitorId(account: string, token: string): string {
  return `monitor/${account}/notices/${token}`;
}

/** `reference`: the caller's own name. */
export function monitorId(account: string, kind: 'radar' | 'case', reference: string): string {
  return `monitor/${account}/${kind}/${reference}`;
}

export function deactivateMonitorId(account: string, kind: string, id: string): string {
  return `monitor/${account}/off/${kind}/${id}`;
}

export function auditMonitorsId(account: string): string {
  return `monitor/${account}/audit`;
}

/** `token`: of parameters and body, which may be personal. */
export function callOperationId(call: {
  readonly account: string;
  readonly operation: string;
  readonly token: string;
}): string {
  return `call/${call.account}/${call.operation}/${call.token}`;
}

export function refreshPortfolioId(account: string, name: string): string {
  return `portfolio/${account}/${name}`;
}
