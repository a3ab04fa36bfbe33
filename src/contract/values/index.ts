/**
 * Door of the pure contract values: identifiers, money, dates, durations. Without zod and Node, so this door, and no other
 * of the contract, may be imported as a value by protocol and workflow code.
 */
export {
  AMOUNT_FORM,
  AMOUNT_SCALE,
  ZERO_AMOUNT,
  addAmounts,
  formatAmount,
  parseAmount,
  readServiceAmount,
  type Amount,
} from './amount.js';
export { addCivilDays, countCivilDays, parseCivilDate, type CivilDate } from './civil-date.js';
export {
  CNJ_FORM,
  cnjDigits,
  expectedCheckDigits,
  formatCnj,
  isProbeCnj,
  parseCnj,
  type Cnj,
  type CnjParse,
} from './cnj.js';
export {
  formatCnpj,
  formatCpf,
  holdsCpfOrCnpj,
  parseCnpj,
  parseCpf,
  parseCpfCnpj,
  type Cnpj,
  type CnpjParse,
  type Cpf,
  type CpfCnpjParse,
  type CpfParse,
} from './cpf-cnpj.js';
export { DURATION_FORM, formatDuration, growingWaitMs, parseDurationMs, withJitter } from './duration.js';
export {
  formatNup17,
  nupCheckDigits,
  parseAdminNumber,
  parseNup17,
  type AdminNumber,
  type AdminNumberParse,
  type Nup17,
  type NupParse,
} from './nup.js';
export {
  MAX_REGISTRATIONS,
  UFS,
  formatOab,
  formatOabQuery,
  parseOab,
  readOabQuery,
  withoutThousands,
  type Oab,
  type OabKey,
  type OabParse,
} from './oab.js';
export { A_FUNCTION, A_TEXT, AN_OBJECT, ANY_FORM, TRUE_OR_FALSE, optionsProblem, type OptionForm } from './options.js';
export { eraseKey, spellingsOfKey, type TokenOf } from './erased-key.js';
export { CODELESS, codeOfError, hasErrorName, nameOfError } from './error-name.js';
export { freeStep } from './free-step.js';
export { inShell } from './in-shell.js';
export { withoutPrefix } from './own-message.js';
export { present, type Present } from './present.js';
export { goesByStatus } from './request-id.js';
export {
  cutNumbers,
  errorCodeIn,
  maskPersonalNumbers,
  mayHoldPersonalNumber,
  outlineOf,
  shownJson,
  shownName,
} from './personal-numbers.js';
export {
  ARCHIVE_AT_LEAST_MS,
  AGE_FENCE_MS,
  CHARGED_GRACE_MS,
  CLOCK_MARGIN_MS,
  DAY_MS,
  EVIDENCE_DEADLINE_MS,
  FILE_DEADLINE_MS,
  FILE_OPEN_AT_MOST_MS,
  FILE_TOTAL_MS,
  GIVE_UP_AFTER_MS,
  JSON_DEADLINE_MS,
  JSON_TOTAL_MS,
  LATE_CALLS_MS,
  MINUTE_MS,
  OPEN_AT_MOST_MS,
  PENDING_AT_MOST_MS,
  POLLING_ROUND_MS,
  PROBE_EVERY_MS,
  SAME_SIGNAL_WITHIN_MS,
  SHUTDOWN_GRACE_MS,
  WAITER_LIFE_MS,
  WAKES_KEPT_MS,
} from './timing.js';
export { parseRequestId, requestIdFromUrl, type RequestId } from './request-id.js';
