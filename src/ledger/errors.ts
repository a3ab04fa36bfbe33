/** Errors of the ledger that its callers tell apart. */
import { hasErrorName } from '../contract/values/index.js';

const MISSING = 'IntentMissing';
const REFUSED = 'DecisionRefused';

export function intentMissing(intentId: string): Error {
  const text = `tramita: the ledger has no intent ${intentId}, or has lost the row that it joined`;
  return Object.assign(new Error(text), { name: MISSING });
}

/** True for the error of a row that is not there: the ledger has forgotten it, or never had it. */
export function isIntentMissing(error: unknown): boolean {
  return hasErrorName(error, MISSING);
}

export function decisionRefused(problem: string): Error {
  return Object.assign(new Error(`tramita: ${problem}`), { name: REFUSED });
}

/** True for the error that says why a decision cannot be taken: trying again is useless. */
export function isDecisionRefused(error: unknown): boolean {
  return hasErrorName(error, REFUSED);
}
