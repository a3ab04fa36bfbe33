/** The file store that the configuration names. Opens nothing. */
import { createDirectoryStore } from './directory-store.js';
import type { FileStore, StorePlace } from './file-store.js';
import { createS3Store } from './s3-store.js';

export function createFileStore(place: StorePlace): FileStore {
  return place.kind === 's3' ? createS3Store(place) : createDirectoryStore(place.path);
}
