/** The inbox over one database. The bridge's narrow database role may record and wake; the other functions read bodies. */
import { createRecorder } from './create-recorder.js';
import type { InboxDependencies } from './dependencies.js';
import type { IncomingEvent, Recorded } from './event.js';
import { createEventsAbout, type EventsAbout } from './events-about.js';
import { createEventFeed, type EventFeed } from './list-events.js';
import { createWebhookChecks, type WebhookChecks } from './missed-events.js';
import { createReplays, type Replays } from './replay.js';
import { createRetention, type Retention } from './retention.js';
import { createWaiters, type Waiters } from './waiters.js';
import { createOwedWakes, type OwedWakes } from './wakes.js';

/** Events of the service's webhooks: stored once, matched with the flows that wait for them, read with a cursor. */
export interface Inbox extends OwedWakes, Waiters, EventsAbout, EventFeed, Replays, WebhookChecks, Retention {
  /** One transaction; the event may be acknowledged when this returns. Throws when the database is away. */
  record(event: IncomingEvent): Promise<Recorded>;
}

/** Makes the inbox over a database: for the bridge, and for a backend that reads the stored events. */
export function createInbox(dependencies: InboxDependencies): Inbox {
  return {
    record: createRecorder(dependencies),
    ...createOwedWakes(dependencies),
    ...createWaiters(dependencies),
    ...createEventsAbout(dependencies.db),
    ...createEventFeed(dependencies.db),
    ...createReplays(dependencies),
    ...createWebhookChecks(dependencies),
    ...createRetention(dependencies),
  };
}
