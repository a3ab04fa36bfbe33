/**
 * Times that several rooms share, each with its reason; a time of only one room is defined there. In milliseconds. Pure.
 */
export const MINUTE_MS = 60_000;
/** One day. */
export const DAY_MS = 86_400_000;

/** A charged call that began longer ago than this is not sent: the process was paused or the machine frozen. */
export const AGE_FENCE_MS = 10_000;
/** HTTP total of a charged JSON call. */
export const JSON_TOTAL_MS = 45_000;
/** HTTP total of a charged call whose answer is a file. */
export const FILE_TOTAL_MS = 10 * MINUTE_MS;
/** A charged JSON call is over after this: the age fence, the HTTP total, the rest for settling (docs/decisions/0003). */
export const JSON_DEADLINE_MS = 60_000;
/** The same for an answer that is a file. */
export const FILE_DEADLINE_MS = 11 * MINUTE_MS;

/** One attempt to resolve an unknown charge: its reads of the listing, the request and the balance, each of a slow service. */
export const EVIDENCE_DEADLINE_MS = 2 * MINUTE_MS;

/** An open row older than this has no call in flight: the deadline, with room to spare. */
export const OPEN_AT_MOST_MS = 5 * MINUTE_MS;
/** The same for a call whose answer is a file. */
export const FILE_OPEN_AT_MOST_MS = 15 * MINUTE_MS;
/** How long a stopping worker waits for calls in flight: above their deadline. A container's stop timeout is above this. */
export const SHUTDOWN_GRACE_MS = JSON_DEADLINE_MS + 15_000;
/** The same while a charged call is in flight: one whose answer is a file takes longer. */
export const CHARGED_GRACE_MS = FILE_DEADLINE_MS + 15_000;
/**
 * A second stop signal within this time counts as the same one: on Ctrl-C the terminal signals npm and us, and npm passes its own on
 * to us (`@npmcli/run-script`, signal-manager.js); a supervisor that signals a whole group makes npm do the same.
 */
export const SAME_SIGNAL_WITHIN_MS = 1_000;
/**
 * A call that was opened in an earlier life of the database writes its journal line within the age fence, or is not sent. A
 * journal that is read after this time has all such lines, also those of other processes with the same folder.
 */
export const LATE_CALLS_MS = AGE_FENCE_MS + 5_000;

/** Clocks of Temporal, workers, bridge and database differ by less than this. */
export const CLOCK_MARGIN_MS = 5_000;
/** All processes together probe an account that an outage holds at most this often, by a free read. */
export const PROBE_EVERY_MS = 1 * MINUTE_MS;

/** One round of polling for pending work, before the flow parks as `stalled`. */
export const POLLING_ROUND_MS = 1 * DAY_MS;
/** How long a flow waits for what may never come: a person's decision, the end of pending work, a page that is ready. */
export const GIVE_UP_AFTER_MS = 30 * DAY_MS;
/** A flow polls and parks no longer than this. No flow waits for older pending work, and none adopts it. */
export const PENDING_AT_MOST_MS = POLLING_ROUND_MS + GIVE_UP_AFTER_MS;
/** A waiter outlives one polling round and one parking, with room to spare. A flow that ends removes its waiters earlier. */
export const WAITER_LIFE_MS = 60 * DAY_MS;
/** Delivered wakes are kept for as long as the report of missed webhooks looks back. */
export const WAKES_KEPT_MS = 30 * DAY_MS;
/**
 * A settled ledger row that is younger than this is never archived: above every time that a flow, a waiter, a wake or a bar
 * looks back. Reads that look back further include the archive.
 */
export const ARCHIVE_AT_LEAST_MS = 90 * DAY_MS;
