import type { Database } from '../store/index.js';

export interface InboxDependencies {
  readonly db: Database;
  /** Epoch ms. */
  readonly clock: () => number;
}
