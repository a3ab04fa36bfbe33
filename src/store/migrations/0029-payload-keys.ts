/** Fingerprints of the keys that payloads are encrypted with: a worker without the newest one could not read the flows. */
import type { Migration } from './migration.js';

export const payloadKeysMigration: Migration = {
  name: '0029-payload-keys',
  sql: `
alter table tramita.fingerprint drop constraint fingerprint_subject_check;
alter table tramita.fingerprint add constraint fingerprint_subject_check
  check (subject in ('id key', 'base url', 'api key', 'payload key'));
`,
};
