/** The inbox over one database. Works with the narrow role of the bridge, as far as recording and waking go; the rest reads bodies. */
import type { Database } from '../store/index.js';
import { createRecorder } from './create-recorder.js';
import { dropExpiredWaiters, dropWaiters, noteNamespace, waitersElsewhere } from './drop-waiters.js';
import { eventsAbout } from './events-about.js';
import { readFeed } from './list-events.js';
import { areWebhooksSilent, findMissedEvents } from './missed-events.js';
import { findReplay, oweReplay } from './replay.js';
import { dropOldBodies, dropOldWakes } from './retention.js';
import { insertWaiters } from './waiter-statements.js';
import type { Inbox } from './types.js';
import { markWoken, takeUnwoken } from './wakes.js';

export interface InboxDependencies {
  readonly db: Database;
  /** Epoch ms. */
  readonly clock: () => number;
}

/** Makes the inbox over a database: for the bridge, and for a backend that reads the stored events. */
export function createInbox({ db, clock }: InboxDependencies): Inbox {
  return {
    record: createRecorder({ db, clock }),
    markWoken: (wakes) => markWoken(db, wakes, clock()),
    takeUnwoken: (options, signal) => takeUnwoken(db, { ...options, nowMs: clock() }, signal),
    dropWaiters: (gone) => dropWaiters(db, { ...gone, nowMs: clock() }),
    waitersElsewhere: (asked) => waitersElsewhere(db, asked),
    noteNamespace: (namespace) => noteNamespace(db, namespace, clock()),
    dropExpiredWaiters: () => dropExpiredWaiters(db, clock()),
    waitFor: async (wait) => {
      await insertWaiters({ ...wait, nowMs: clock() }).execute(db);
    },
    eventsAbout: (asked) => eventsAbout(db, asked),
    listEvents: async (options) => (await readFeed(db, options)).events,
    readFeed: (request) => readFeed(db, request),
    findReplay: (selection) => findReplay(db, selection, clock()),
    oweReplay: (selection) => oweReplay(db, selection, clock()),
    areWebhooksSilent: (account) => areWebhooksSilent(db, { account, nowMs: clock() }),
    findMissedEvents: (asked) => findMissedEvents(db, asked),
    forgetOld: async ({ eventBodiesMs }) => ({
      wakes: await dropOldWakes(db, clock()),
      bodies: eventBodiesMs === undefined ? 0 : await dropOldBodies(db, eventBodiesMs, clock()),
    }),
  };
}
