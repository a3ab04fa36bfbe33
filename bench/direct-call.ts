/**
 * What a backend writes that calls the service itself: one request with a time limit, polls of a 202, and as many attempts
 * as its author allows. It keeps no records, so an error is all that it knows of a failed call.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { buildRequest, DEFAULT_GAPS, operationOf, readPending, present } from '../src/contract/index.js';
import type { PlannedCall } from '../soak/calls/plan.js';

const API_KEY = 'sandbox-key';
const TIMEOUT_MS = 35_000;
const POLL_EVERY_MS = 200;
const POLL_FOR_MS = 20_000;
const FIRST_PAUSE_MS = 200;

/** `answer`: a body that can be read, or a refusal of the service. */
type DirectEnd = 'answer' | 'error';

export async function callDirectly(baseUrl: string, call: PlannedCall, tries: number): Promise<DirectEnd> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await callOnce(baseUrl, call);
      return 'answer';
    } catch {
      if (attempt >= tries) return 'error';
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}

async function callOnce(baseUrl: string, { operation, params, body }: PlannedCall): Promise<void> {
  const input = { params, flags: [], ...present({ body }) };
  const request = buildRequest(operationOf(operation), input, DEFAULT_GAPS);
  const { status, json, location } = await send(`${baseUrl}${request.target}`, request);
  if (status !== 202) return;
  const { requestId } = readPending(json, location);
  if (requestId === undefined) throw new Error('accepted without a request id');
  const untilMs = Date.now() + POLL_FOR_MS;
  while (Date.now() < untilMs) {
    await sleep(POLL_EVERY_MS);
    if ((await send(`${baseUrl}/v1/requests/${requestId}`, { method: 'GET' })).status !== 202) return;
  }
  throw new Error('not ready in time');
}

async function send(
  url: string,
  { method, body }: { readonly method: string; readonly body?: string },
): Promise<{ readonly status: number; readonly json: unknown; readonly location: string | undefined }> {
  const answer = await fetch(url, {
    method,
    headers: { 'x-api-key': API_KEY, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...present({ body }),
  });
  if (answer.status >= 500) throw new Error(`HTTP ${answer.status}`);
  const location = answer.headers.get('location') ?? undefined;
  return { status: answer.status, json: await answer.json(), location };
}
