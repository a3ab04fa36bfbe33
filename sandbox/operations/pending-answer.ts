/** The 202 answer with its hints (interface "Pending asynchronous response"; more members as observed). Pure. */
import { envelope, jsonAnswer, type Answer, type Paid } from '../answer.js';
import type { Work } from '../state/works.js';
import type { View } from './types.js';

export function buildPendingAnswer(work: Work, view: View, paid: Paid): Answer {
  const { pollAfterMs, dialect } = view.settings;
  const seconds = Math.max(1, Math.ceil(pollAfterMs / 1_000));
  const statusUrl = `${view.apiUrl}/v1/requests/${work.requestId}`;
  const data = {
    ...(dialect.pendingIdIn === 'body' ? { requestId: work.requestId, statusUrl } : {}),
    status: 'PROCESSANDO',
    message: 'A consulta continua em processamento.',
    submittedAt: new Date(work.createdAtMs).toISOString(),
    pollAfterMs,
    pollAfterSeconds: seconds,
    nextPollAt: new Date(view.nowMs + pollAfterMs).toISOString(),
  };
  const headers = { location: statusUrl, 'retry-after': String(seconds) };
  return jsonAnswer(202, envelope(data, paid, view.nowMs), headers);
}
