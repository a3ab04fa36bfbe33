/**
 * Door of the wakes: signals to flows, and the relay that delivers those that are still owed, for bridge, worker and command line
 * alike. A wake is a hint: it spends nothing and decides nothing. The inbox decides which flows are woken.
 */
export { deliverWakes, replayPayload, type DeliveredWakes } from './deliver-wakes.js';
export { startRelay, type RelaySettings } from './relay.js';
export { createSignalWake } from './signal-wake.js';
export type { CountWakes, SignalWake, WakeInbox } from './types.js';
export { createWaker, type TemporalState, type Waker } from './waker.js';
export { answersWithin, within } from './within.js';
