/** Charged calls in Temporal's histories, encrypted ones too. An unreadable history is an error, not a history without calls. */
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { randomBytes } from 'node:crypto';
import { readCallsInHistories } from '../../src/cli/reconcile/calls-in-histories.js';
import { parsePayloadKeys } from '../../src/config/payload-keys.js';
import { createDataConverter, createLenientDataConverter } from '../../src/temporal-client/index.js';

const newKeys = (id: string) => {
  const keys = parsePayloadKeys(`${id}:${randomBytes(32).toString('base64')}`);
  if (!keys.ok) throw new Error('no keys');
  return { payloadKeys: keys.value };
};
const [OURS, OTHERS] = [newKeys('k1'), newKeys('k2')];

type Write = (value: unknown) => Promise<Payload[]>;
const plain: Write = (value) => Promise.resolve([defaultPayloadConverter.toPayload(value)]);
const encrypted: Write = async (value) => {
  const context = { type: 'workflow', namespace: 'default', workflowId: 'refresh.default.x' } as never;
  const [codec] = createDataConverter(OURS).payloadCodecs ?? [];
  return (await codec?.encode(await plain(value), context)) ?? [];
};
const foreign: Write = () =>
  Promise.resolve([{ metadata: { encoding: Buffer.from('binary/zlib') }, data: Buffer.from('x') }]);

async function callsOfOneRefresh(
  write: Write,
  keys: Parameters<typeof createLenientDataConverter>[0],
): Promise<readonly string[]> {
  const input = { workflowId: 'refresh.default.x', firstRunId: 'r', step: 'refresh', ordinal: 1, account: 'default' };
  const outcome = { outcome: 'DONE', intentId: '11111111-1111-4111-8111-111111111111', charged: '0.50' };
  const scheduled = { activityType: { name: 'requestRefresh' }, input: { payloads: await write(input) } };
  const completed = { scheduledEventId: 5, result: { payloads: await write(outcome) } };
  return callsIn(keys, [
    { eventId: 5, activityTaskScheduledEventAttributes: scheduled },
    { eventId: 7, activityTaskCompletedEventAttributes: completed },
  ]);
}

async function callsIn(
  keys: Parameters<typeof createLenientDataConverter>[0],
  events: readonly object[],
): Promise<readonly string[]> {
  const client = {
    options: { loadedDataConverter: { payloadCodecs: [], ...createLenientDataConverter(keys) } },
    workflow: {
      async *list() {
        yield* await Promise.resolve([{ workflowId: 'refresh.default.x', runId: 'r' }]);
      },
      getHandle: () => ({ fetchHistory: () => Promise.resolve({ events }) }),
    },
  };
  const options = { sinceMs: 0, operations: new Set(['requestRefresh']), onFlow: () => undefined };
  const calls: string[] = [];
  for await (const call of readCallsInHistories(client as never, options))
    calls.push(`${call.operation} ${call.input.step}`);
  return calls;
}

test.each([
  ['plain', plain, {}],
  ['plain, read with keys', plain, OURS],
  ['encrypted', encrypted, OURS],
] as const)('readCallsInHistories reads the calls of a history that is %s', async (_, write, keys) => {
  expect(await callsOfOneRefresh(write, keys)).toEqual(['requestRefresh refresh']);
});

test.each([
  [
    'encrypted, without a key',
    encrypted,
    {},
    /the history of "refresh\.default\.x" \(run r\) .* "k1", which TRAMITA_PAYLOAD_KEYS does not have/,
  ],
  ['encrypted with another key', encrypted, OTHERS, /TRAMITA_PAYLOAD_KEYS does not have/],
  ['in an unknown encoding', foreign, OURS, /binary\/zlib.*--no-histories/],
] as const)('readCallsInHistories fails on a history that is %s', async (_, write, keys, problem) => {
  await expect(callsOfOneRefresh(write, keys)).rejects.toThrow(problem);
});

test('readCallsInHistories takes the result of a timed-out call from its resolver', async () => {
  const input = { workflowId: 'refresh.default.x', firstRunId: 'r', step: 'refresh', ordinal: 1, account: 'default' };
  const scheduled = async (name: string, more: object) => ({
    activityTaskScheduledEventAttributes: {
      activityType: { name },
      input: { payloads: await plain({ ...input, ...more }) },
    },
  });
  const found = async (scheduledEventId: number, outcome: string, intentId: string) => ({
    activityTaskCompletedEventAttributes: {
      scheduledEventId,
      result: { payloads: await plain({ outcome, intentId, charged: null }) },
    },
  });
  const [first, second] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
  const events = [
    { eventId: 5, ...(await scheduled('requestRefresh', { flags: ['documents'] })) },
    { eventId: 7, activityTaskTimedOutEventAttributes: { scheduledEventId: 5 } },
    { eventId: 11, ...(await scheduled('resolveUnknown', { operation: 'requestRefresh' })) },
    { eventId: 13, ...(await found(11, 'UNKNOWN', first)) },
    { eventId: 24, ...(await scheduled('resolveUnknown', { operation: 'requestRefresh' })) },
    { eventId: 26, ...(await found(24, 'DONE', first)) },
    // This resolver is about a call that the history does not have, so it is ignored.
    { eventId: 35, ...(await scheduled('resolveUnknown', { operation: 'requestRefresh', ordinal: 2 })) },
    { eventId: 37, ...(await found(35, 'UNKNOWN', second)) },
  ];
  expect(await callsIn({}, events)).toEqual(['requestRefresh refresh']);
});
