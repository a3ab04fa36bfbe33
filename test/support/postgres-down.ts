/** Stops what `postgres-up.ts` started, and removes its files. */
import './js-means-ts.cjs';
import { rm } from 'node:fs/promises';
import './postgres-up.js';

export default async function postgresDown(): Promise<void> {
  const started = globalThis.tramitaTestPostgres;
  if (started === undefined) return;
  await started.pooler?.stop();
  await started.server.stop();
  await rm(started.folder, { recursive: true, force: true });
}
