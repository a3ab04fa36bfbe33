/**
 * Door of the inbox: events are recorded once, matched with the flows that wait for them, and no wake is lost. It verifies
 * nothing (the bridge does), signals no flow (bridge and worker do) and can spend nothing: an event is a hint.
 */
export { createInbox, type Inbox } from './create-inbox.js';
export type { IncomingEvent, Recorded, Wake } from './event.js';
export type { EventAbout } from './events-about.js';
export type { EventFilter, InboxEvent } from './list-events.js';
export type { MissedEvents } from './missed-events.js';
export { publicEventId, publicEventName } from './public-names.js';
export type { Replay, ReplayedWake, ReplaySelection } from './replay.js';
export { cnjKey, cnjOfKeys, intentKey, isIntentKey, keysOfEvent, oabKey, requestKey } from './waiter-keys.js';
export { eventExists, insertWaiters } from './waiter-statements.js';
export type { GoneFlow } from './waiters.js';
export { countOwedWakes } from './wakes.js';
