/** How a refusal is told to people: what the service said, and the cure. Pure. */

/** ` (CODE: reason)`, or nothing. Reasons were cleaned where they were read. */
export function said(facts: { readonly reason?: string; readonly errorCode?: string }): string {
  const text = [facts.errorCode, facts.reason].filter((part) => part !== undefined).join(': ');
  return text === '' ? '' : ` (${text})`;
}

const CURES: Readonly<Record<string, string>> = {
  Unauthorized: 'Check the API key of the account (TRAMITA_API_KEY) and start again',
  Forbidden: 'The key may not do this operation: ask the service to allow it, or use another account',
  InsufficientBalance: 'Top up the balance of the account and start again',
  NotFound: 'The service does not know this case: check the number',
  Throttled: 'The service keeps asking to wait: lower requestsPerMinute of the account and start again later',
  Rejected: 'The service does not accept the request as asked: read its reason above',
  Unreachable: 'The service keeps failing: try again later',
};

export function cureOf(failureType: string): string {
  return CURES[failureType] ?? '';
}
