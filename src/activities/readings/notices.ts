/** Is it a list of notices at all, and how long? The notices themselves go from the stored answer into the records. Pure. */
import { readNotices } from '../../contract/index.js';
import type { NoticesReading } from '../../protocol/index.js';
import type { ReadableAnswer } from './types.js';

export function readNoticesPage({ body }: ReadableAnswer): NoticesReading | undefined {
  const list = readNotices(body);
  return list === undefined ? undefined : { count: list.records.length, missingMonitors: list.missingMonitors };
}
