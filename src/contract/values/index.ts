/**
 * Door of the pure contract values: identifiers, money, durations. Without zod and Node, so this door, and no other of
 * the contract, may be imported as a value by protocol and workflow code.
 */
export {
  AMOUNT_SCALE,
  ZERO_AMOUNT,
  addAmounts,
  formatAmount,
  parseAmount,
  readServiceAmount,
  type Amount,
} from './amount.js';
export { cnjDigits, expectedCheckDigits, formatCnj, isProbeCnj, parseCnj, type Cnj, type CnjParse } from './cnj.js';
export { formatDuration, parseDurationMs } from './duration.js';
export { parseRequestId, requestIdFromUrl, type RequestId } from './request-id.js';
