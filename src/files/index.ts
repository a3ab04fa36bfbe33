/**
 * Door of the files room: bought files, under their hash. Bytes land on the worker's own disk first and go from there to the
 * configured file store: the same directory, a directory shared by several machines, or S3-compatible storage. The name of a
 * file in results and records does not depend on the machine that bought it; readers resolve it with their own configuration.
 * Knows nothing of HTTP, the ledger or flows (docs/decisions/0041).
 *
 * Not exported: the S3 client, which is loaded only if a store needs it. No error object of a library leaves this room.
 */
export { createFileStore } from './create-file-store.js';
export type { StorePlace } from './file-store.js';
export { createFiles, type Files } from './files.js';
export { hasEndMark, isPdf } from './pdf-mark.js';
export { probeOwnDir } from './probe-own-dir.js';
export { probeStore, type StoreProbe } from './probe-store.js';
export {
  Discarded,
  EDGE_BYTES,
  isDiscarded,
  storeByHash,
  type FileEdges,
  type Landing,
  type StoredFile,
} from './store-by-hash.js';
export { untilAborted } from './until-aborted.js';
