/**
 * Door of the inbox: events are recorded once, matched with the flows that wait for them, and nobody's wake is lost. It
 * verifies nothing (the bridge does), signals nobody (bridge and worker do) and can spend nothing: an event is a hint.
 */
export type { EventAbout } from './events-about.js';
export { createInbox, type InboxDependencies } from './create-inbox.js';
export type { ReplaySelection } from './replay.js';
export { WAKES_KEPT_MS } from './retention.js';
export type {
  EventFilter,
  EventPage,
  FeedRequest,
  GoneFlow,
  Inbox,
  InboxEvent,
  IncomingEvent,
  MissedEvents,
  MissedWait,
  Recorded,
  Replay,
  ReplayedWake,
  Wake,
} from './types.js';
export { cnjKey, intentKey, keysOfEvent, oabKey, requestKey } from './waiter-keys.js';
export { countOwedWakes } from './wakes.js';
export { EVENT_MARGIN_MS, WAITER_LIFE_MS, eventExists, insertWaiters } from './waiter-statements.js';
