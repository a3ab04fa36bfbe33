/**
 * Door of the sandbox: an imitation of the Judicial Records Data Service v1, to build and test against. **Its limits**:
 * it has six operations (availability, balance, requests, refresh, refresh status, public documents), plain HTTP, and
 * loopback addresses only; cases are invented from seed and number, none is real; it imposes no rate limit of its own;
 * prices, refresh times and everything else that the interface does not show are settings, not knowledge of the service.
 * With `dataDir` the charge book and pending work outlive the process; webhook settings, deliveries, armed faults, the
 * request log and the clock's offset do not. Faults F2, F14 and F17 are not built.
 *
 * It shares the contract with tramita and nothing else: its own signer, its own money, its own links.
 */
export { PERSONAS, type CaseTraits, type Ending, type Persona, type WebhookFate } from './cases/personas.js';
export { API_KEYS, type AccountName } from './keys.js';
export { type Dialect, type SandboxOptions, type WebhookConfig } from './settings.js';
export { startSandbox, type Sandbox } from './start-sandbox.js';
export { type Charge, type Flushed } from './state/charge-book.js';
export { type ReceivedRequest } from './state/request-log.js';
export { type Delivery } from './webhooks/webhook-sender.js';
