/** Finds Temporal through the cache of the environment, without a download, and prints the progress. */
import { findTemporalServer } from '../../../src/local/temporal/find-temporal-server.js';

findTemporalServer({
  env: process.env,
  onProgress: ({ kind, text }) => process.stdout.write(`${kind}: ${text}\n`),
  download: () => Promise.resolve('this test has no internet'),
}).then(
  ({ source }) => process.stdout.write(`source: ${source}\n`),
  (error: unknown) => {
    process.stdout.write(`${String(error)}\n`);
    process.exitCode = 1;
  },
);
