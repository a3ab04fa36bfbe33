/**
 * Door of the files room: bought files, under their hash. Bytes land on the worker's own disk first, and from there they go to
 * the file store of the configuration: the same directory, another one that several machines see, or S3-compatible storage.
 * What a file is called in results and records says nothing of the machine that bought it; readers resolve it against their
 * own configuration. Knows nothing of HTTP, of the ledger and of flows (docs/decisions/0041).
 *
 * Withheld: the S3 client, which is loaded only where a store needs it. No error object of a library leaves this room.
 */
export { shaOf } from './address.js';
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
export { sweepParts } from './sweep-parts.js';
