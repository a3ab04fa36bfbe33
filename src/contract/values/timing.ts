/**
 * Times that several rooms depend on together, each once and with its reason. What one room alone decides is there. All of
 * them are in milliseconds. Pure.
 */
export const MINUTE_MS = 60_000;
/** One day. */
export const DAY_MS = 86_400_000;

/** A body of a charged call that began longer ago than this sends nothing: the process was paused or the machine frozen. */
export const AGE_FENCE_MS = 10_000;
/** HTTP total of a charged JSON call. */
export const JSON_TOTAL_MS = 45_000;
/** HTTP total of a charged call whose answer is a file. */
export const FILE_TOTAL_MS = 10 * MINUTE_MS;
/** A charged JSON call is over after this: the age fence, the HTTP total, the rest for settling (docs/decisions/0003). */
export const JSON_DEADLINE_MS = 60_000;
/** The same for an answer that is a file. */
export const FILE_DEADLINE_MS = 11 * MINUTE_MS;

/** An open row older than this has no living call: the deadline, with room to spare. */
export const OPEN_AT_MOST_MS = 5 * MINUTE_MS;
/** The same of a call whose answer is a file: an older open row has no living call. */
export const FILE_OPEN_AT_MOST_MS = 15 * MINUTE_MS;
/** A worker that ends waits for calls in flight: above their deadline. A container's stop time is above this. */
export const SHUTDOWN_GRACE_MS = JSON_DEADLINE_MS + 15_000;
/** The same for charged calls, of which a file takes longer: waited for only while one is in flight. */
export const CHARGED_GRACE_MS = FILE_DEADLINE_MS + 15_000;
/**
 * A second signal to end within this time is the same one: on Ctrl-C the terminal signals npm and us, and npm passes its own on
 * to us (`@npmcli/run-script`, signal-manager.js); a supervisor that signals a whole group makes npm do the same.
 */
export const SAME_SIGNAL_WITHIN_MS = 1_000;
/**
 * A call that was opened in an earlier life of the database writes its line of the journal within the age fence or is not
 * sent: what is read after this has all of them, also those of other processes over the same folder.
 */
export const LATE_CALLS_MS = AGE_FENCE_MS + 5_000;

/** Clocks of Temporal, workers, bridge and database differ by less than this. */
export const CLOCK_MARGIN_MS = 5_000;
/** An account that an outage holds is looked at, free, at most this often by all processes together. */
export const PROBE_EVERY_MS = 1 * MINUTE_MS;

/** One round of polling for pending work, before the flow parks as `stalled`. */
export const POLLING_ROUND_MS = 1 * DAY_MS;
/** How long a flow waits for what may never come: a person, an end of pending work, a page that is ready. */
export const GIVE_UP_AFTER_MS = 30 * DAY_MS;
/** A flow polls and parks no longer than this: no flow waits for pending work that is older, and it is not adopted. */
export const PENDING_AT_MOST_MS = POLLING_ROUND_MS + GIVE_UP_AFTER_MS;
/** A waiter lives through one round and one parking, with room to spare. Flows that end take theirs along earlier. */
export const WAITER_LIFE_MS = 60 * DAY_MS;
/** Delivered wakes are kept for as long as the report of missed webhooks looks back. */
export const WAKES_KEPT_MS = 30 * DAY_MS;
/**
 * A settled row of the ledger that is younger than this never goes to the archive: above every time for which a flow, a waiter, a
 * wake or a bar looks back at one. What looks back further asks the archive too.
 */
export const ARCHIVE_AT_LEAST_MS = 90 * DAY_MS;
