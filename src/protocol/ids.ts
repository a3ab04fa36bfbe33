/** Default workflow ids (design 7). Pure. `caseKey` is the 20-digit number, or a token where the account masks. */

export function refreshCaseId(account: string, caseKey: string): string {
  return `refresh/${account}/${caseKey}`;
}

export function refreshPortfolioId(account: string, name: string): string {
  return `portfolio/${account}/${name}`;
}
