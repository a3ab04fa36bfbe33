/**
 * Door of the sandbox: an imitation of the Judicial Records Data Service v1, to build and test against. **Its limits**:
 * loopback addresses only; cases, people, publications are invented from seed and number, none is real, and lists of
 * different operations need not name the same cases; prices, refresh times and everything else that the interface does
 * not show are settings, not knowledge of the service. With `dataDir` the charge book, pending work, monitors and coverage
 * outlive the process; webhook settings, deliveries, armed faults, the request log and the clock's offset do not.
 *
 * It shares the contract with tramita and nothing else: its own signer, its own money, its own links, its own readers.
 */
export {
  LAWYERS,
  PERSONAS,
  TAX_IDS,
  type CaseTraits,
  type Ending,
  type LawyerPersona,
  type Persona,
  type TaxIdPersona,
  type WebhookFate,
} from './cases/personas.js';
export { ordinaryCount as lawyerCaseCount } from './cases/lawyer-cases.js';
export { controlOf, type Control } from './control-client.js';
export type { FaultInput } from './faults/fault-types.js';
export { API_KEYS, type AccountName } from './keys.js';
export { type Dialect, type SandboxOptions, type WebhookConfig } from './settings.js';
export { startSandbox, type Sandbox } from './start-sandbox.js';
export { type Charge, type Flushed } from './state/charge-book.js';
export { type Monitor } from './state/monitors.js';
export { type ReceivedRequest } from './state/request-log.js';
export type { EventCommandInput } from './webhooks/event-commands.js';
export { type Delivery } from './webhooks/webhook-sender.js';
