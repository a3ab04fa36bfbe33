/** Starting `syncNotices`: the registrations stand in the id only as a keyed token. */
import {
  parseSyncNoticesInput,
  syncNoticesId,
  type SyncNoticesInput,
  type SyncNoticesResult,
} from '../protocol/index.js';
import { defineStarter, type Starter } from './define-starter.js';

/** Starts (or joins) the sync of the notices of these registrations. Default id `notices/<account>/<token>`. */
export const startSyncNotices: Starter<SyncNoticesInput, SyncNoticesResult> = defineStarter({
  type: 'syncNotices',
  parse: parseSyncNoticesInput,
  place: ({ account, oabs, fullText }, { token }) => ({
    id: syncNoticesId(account, token('oabs', oabs)),
    summary: `Notices of ${oabs.length} registrations${fullText ? ' with full texts' : ''}`,
  }),
});
