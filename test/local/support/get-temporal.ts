/** Gets Temporal through the cache named by the environment, without a download; prints what it was told. */
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
