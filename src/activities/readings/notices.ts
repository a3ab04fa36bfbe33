/** Whether the answer is a list of notices, and how long. The notices themselves go from the stored answer to the records. Pure. */
import { readNotices } from '../../contract/index.js';
import type { NoticesReading } from '../../protocol/index.js';
import type { ReadableAnswer } from './types.js';

export function readNoticesPage({ body }: ReadableAnswer): NoticesReading | undefined {
  const list = readNotices(body);
  return list === undefined ? undefined : { count: list.records.length, missingMonitors: list.missingMonitors };
}
