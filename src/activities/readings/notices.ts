/** Is it a list of notices at all, and how long? The notices themselves go from the stored answer into the records. Pure. */
import { readNotices, type Json } from '../../contract/index.js';
import type { ReadableAnswer } from './types.js';

export function readNoticesPage({ body }: ReadableAnswer): Json | undefined {
  const list = readNotices(body);
  return list === undefined ? undefined : { count: list.records.length, missingMonitors: list.missingMonitors };
}
