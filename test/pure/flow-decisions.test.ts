import { ActivityFailure, ApplicationFailure, CancelledFailure, TimeoutFailure } from '@temporalio/common';
import type { CallOutcome } from '../../src/protocol/index.js';
import { decideActivityFailure } from '../../src/workflows/step/decide-activity-failure.js';
import { budgetFigures } from '../../src/workflows/step/park-on-budget.js';
import { NOTHING_LISTED, withFiles, withPage } from '../../src/workflows/parts/documents-place.js';
import { isCallResult } from '../../src/workflows/step/is-call-result.js';
import {
  cureOf,
  decideRejection,
  failureOfParked,
  notSentWaitMs,
  startAgain,
} from '../../src/workflows/step/decide-rejection.js';
import { fitLists } from '../../src/workflows/flow/fit-result.js';
import {
  hasBought,
  hasPaid,
  receiptsOf,
  sumSpent,
  unexpectedRecord,
  withRecord,
  type StepRecord,
} from '../../src/workflows/flow/flow-record.js';

const facts = { charged: null, reused: false, settled: true } as const;

it('startAgain advises another once key if the paid answer of a once key was lost', () => {
  expect(startAgain({})).toBe('start again');
  expect(startAgain({ once: 'r' })).toMatch(/under another once or reference/);
});

it.each([
  ['stalled', 429, 'Throttled'],
  ['stalled', 404, 'NotFound'],
  ['stalled', 503, 'Unreachable'],
  ['stalled', undefined, 'Unreachable'],
  ['credentials', 401, 'Unauthorized'],
  ['credentials', 403, 'Forbidden'],
  ['budget', 402, 'InsufficientBalance'],
] as const)('parked as %s after %s fails in the end as %s', (attention, status, type) => {
  expect(failureOfParked(attention, status === undefined ? {} : { status })).toBe(type);
});

describe('decideActivityFailure, for an activity that returned no outcome', () => {
  const lost = (cause: Error) =>
    decideActivityFailure(new ActivityFailure('failed', 'requestRefresh', '1', 'MAXIMUM_ATTEMPTS_REACHED', '', cause));
  const timeout = (type: TimeoutFailure['timeoutType']) => new TimeoutFailure('t', undefined, type);
  const failure = (type: string, message: string) => ApplicationFailure.create({ type, message });

  it.each<[string, Error, string, string]>([
    ['no worker took the activity', timeout('SCHEDULE_TO_START'), 'not started', ''],
    ['the worker died or never answered', timeout('START_TO_CLOSE'), 'unknown', 'START_TO_CLOSE'],
    ['the worker stopped sending heartbeats', timeout('HEARTBEAT'), 'unknown', 'HEARTBEAT'],
    ['the total time is over', timeout('SCHEDULE_TO_CLOSE'), 'unknown', 'ran out'],
    [
      'the worker has no such activity',
      failure('NotFoundError', 'Activity function requestRefresh is not registered on this Worker, available: []'),
      'not_sent',
      'deploy the current version',
    ],
    [
      'another error of that name from inside the body',
      failure('NotFoundError', 'intent is not registered'),
      'unknown',
      'NotFoundError',
    ],
    [
      'an error of the body that quotes the worker’s message',
      failure('NotFoundError', 'x: Activity function requestRefresh is not registered on this Worker'),
      'unknown',
      'NotFoundError',
    ],
    [
      'arguments do not parse',
      failure('ValueError', 'Failed to parse activity args for activity requestRefresh: no key'),
      'not_sent',
      'could not read the call',
    ],
    ['worker shutdown', failure('WorkerShutdown', 'Worker is shutting down'), 'unknown', 'shut down'],
    ['activity pause', failure('ActivityPause', 'Activity paused'), 'unknown', 'paused'],
    ['activity reset', failure('ActivityReset', 'Activity reset'), 'unknown', 'reset'],
    ['cancelled by something other than the flow', new CancelledFailure('cancelled'), 'unknown', 'cancelled'],
    ['result too large', failure('PayloadsTooLarge', '[TMPRL1103] payload size'), 'unknown', 'too large'],
    ['result not convertible', failure('PayloadConverterError', 'x'), 'unknown', 'converted'],
    ['result that the converter refuses', failure('DataConverterError', 'x'), 'unknown', 'converted'],
    ['result of a type that is no value', failure('ValueError', 'Unable to convert'), 'unknown', 'converted'],
    ['anything else', failure('TypeError', 'x'), 'unknown', 'TypeError'],
    ['a failure without a type', ApplicationFailure.create({ message: 'x' }), 'unknown', 'gave up the call (no type)'],
    ['an error that is no ApplicationFailure', new Error('x'), 'unknown', 'without an outcome'],
  ])('decides for: %s', (_why, cause, kind, reason) => {
    const means = lost(cause);
    expect(means.kind).toBe(kind);
    expect('reason' in means ? means.reason : '').toContain(reason);
  });

  it('decides "unknown" for an error that is no ActivityFailure', () => {
    expect(decideActivityFailure(new Error('x')).kind).toBe('unknown');
    expect(decideActivityFailure('x').kind).toBe('unknown');
  });

  it('decides "unknown" unless the failure proves that our code never ran', () => {
    const types = ['', 'Error', 'AxiosError', 'AbortError', 'NotFoundError', 'IllegalStateError', 'CancelledFailure'];
    for (const type of types) expect(lost(failure(type, 'is not registered')).kind).toBe('unknown');
  });
});

describe('the result of a charged activity', () => {
  const { charged, reused, settled } = facts;
  it.each<[unknown]>([
    [{ outcome: 'DONE', charged, reused, settled, reading: {} }],
    [{ outcome: 'PENDING', charged, reused, settled, sinceMs: 1 }],
    [{ outcome: 'REJECTED', charged, reused, settled, status: 404 }],
    [{ outcome: 'NOT_SENT', charged, reused, settled: false }],
    [{ outcome: 'HELD', because: 'outage', sinceMs: 1 }],
    [{ outcome: 'REFUSED', problem: 'x' }],
  ])('is valid: %j', (result) => expect(isCallResult(result)).toBe(true));

  it.each<[unknown]>([
    ...[undefined, null, 'DONE', 5, [], {}, { outcome: 'done' }, { outcome: 'toString' }, { outcome: ['DONE'] }].map(
      (value): [unknown] => [value],
    ),
    [{ outcome: 'DONE', settled, reading: null }],
    [{ outcome: 'PENDING', settled }],
    [{ outcome: 'UNKNOWN' }],
    [{ outcome: 'HELD' }],
    [{ outcome: 'REFUSED' }],
  ])('is invalid, as after a completion by hand: %j', (value) => expect(isCallResult(value)).toBe(false));
});

describe('a refusal', () => {
  it.each([
    [401, false, 'fail', 'Unauthorized'],
    [403, false, 'fail', 'Forbidden'],
    [404, false, 'fail', 'NotFound'],
    [400, false, 'fail', 'Rejected'],
    [422, false, 'fail', 'Rejected'],
    [404, true, 'fail', 'NotFound'],
    [422, true, 'fail', 'Rejected'],
    [401, true, 'park', 'credentials'],
    [403, true, 'park', 'credentials'],
  ])('with HTTP %d (flow has paid: %p) leads to: %s %s', (status, paid, then, what) => {
    const next = decideRejection({ ...facts, status }, { tries: 1, paid });
    expect([next.then, 'type' in next ? next.type : 'attention' in next ? next.attention : '']).toEqual([then, what]);
  });

  it('for lack of balance fails an unpaid flow and parks a paid one on the budget', () => {
    const refused = { ...facts, status: 402, aboutBalance: true };
    expect(decideRejection(refused, { tries: 1, paid: false })).toEqual({ then: 'fail', type: 'InsufficientBalance' });
    expect(decideRejection(refused, { tries: 1, paid: true })).toEqual({ then: 'park', attention: 'budget' });
  });

  it('with HTTP 429 is retried after the given wait, at most 15 minutes, until the fifth try', () => {
    const wait = (retryAfterMs: number | undefined, tries: number) =>
      decideRejection(
        { ...facts, status: 429, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
        { tries, paid: false },
      );
    expect(wait(7_000, 1)).toEqual({ then: 'send again', afterMs: 7_000 });
    expect(wait(9e9, 2)).toEqual({ then: 'send again', afterMs: 900_000 });
    expect(wait(undefined, 1)).toEqual({ then: 'send again', afterMs: 5_000 });
    expect(wait(1, 5)).toEqual({ then: 'fail', type: 'Throttled' });
    // Five retries without a wait would end the flow within a second.
    expect(wait(0, 2)).toEqual({ then: 'send again', afterMs: 15_000 });
    expect(decideRejection({ ...facts, status: 429 }, { tries: 5, paid: true })).toEqual({
      then: 'park',
      attention: 'stalled',
    });
  });

  it('with HTTP 5xx that costs nothing is retried like HTTP 429, until the fifth try', () => {
    for (const status of [500, 503]) {
      const after = (tries: number, paid: boolean) => decideRejection({ ...facts, status }, { tries, paid });
      expect(after(4, false)).toEqual({ then: 'send again', afterMs: 300_000 });
      expect(after(5, false)).toEqual({ then: 'fail', type: 'Unreachable' });
      expect(after(5, true)).toEqual({ then: 'park', attention: 'stalled' });
    }
  });

  it.each([0, 200, 202])('that only means that the service is away (HTTP %d) is retried like HTTP 5xx', (status) => {
    const away = { ...facts, status, isAway: true };
    expect(decideRejection(away, { tries: 1, paid: false }).then).toBe('send again');
    expect(decideRejection(away, { tries: 5, paid: false })).toEqual({ then: 'fail', type: 'Unreachable' });
    expect(decideRejection({ ...away, status: 429 }, { tries: 5, paid: false })).toMatchObject({ type: 'Throttled' });
  });

  it.each([
    [429, 'Rejected'],
    [402, 'Rejected'],
    [401, 'Rejected'],
    [503, 'Rejected'],
    [404, 'NotFound'],
  ])('with a charge is never retried (HTTP %d), because the next try would be paid too', (status, type) => {
    const next = decideRejection({ ...facts, charged: '0.1', status }, { tries: 1, paid: true });
    expect(next).toEqual({ then: 'fail', type });
  });

  it('with a charge of zero may be retried', () => {
    expect(decideRejection({ ...facts, charged: '0', status: 429 }, { tries: 1, paid: true }).then).toBe('send again');
  });

  it('or an unsent call is retried after growing waits', () => {
    expect([1, 2, 3, 4, 9].map(notSentWaitMs)).toEqual([1_000, 5_000, 15_000, 60_000, 60_000]);
  });
});

describe('the records of a flow', () => {
  const record = (ordinal: number, outcome?: CallOutcome): StepRecord => ({
    step: 'requestRefresh',
    operation: 'requestRefresh',
    ordinal,
    ...(outcome === undefined ? {} : { outcome }),
  });
  const done = (charged: string | null): CallOutcome => ({ ...facts, charged, outcome: 'DONE', reading: {} });
  const unsent: CallOutcome = { ...facts, outcome: 'NOT_SENT' };

  it('sum the known charges and count the unknown ones', () => {
    const records = [
      record(1, unsent),
      record(2, done('0.05')),
      record(3, done(null)),
      record(4, { ...facts, outcome: 'UNKNOWN' }),
      record(5),
    ];
    expect(sumSpent(records)).toEqual({ known: '0.05', unknown: 2 });
  });

  it('show whether the flow has paid: refusals, unsent calls and joined answers are no payment', () => {
    expect(hasPaid([record(1, unsent), record(2, { ...facts, outcome: 'REJECTED' }), record(3, done('0'))])).toBe(
      false,
    );
    expect(hasPaid([record(1, { ...facts, outcome: 'UNKNOWN' })])).toBe(true);
    expect(hasPaid([record(1, done(null))])).toBe(true);
  });

  it('show whether the flow has bought: a charged free read is paid, but not bought', () => {
    const read = unexpectedRecord([], { operation: 'free', amount: '0.05', metaRequestId: null, searchLogId: null });
    expect([hasPaid([read]), hasBought([read])]).toEqual([true, false]);
    expect(hasBought([read, { ...record(1, done('0.1')), step: 'free/1', operation: 'free' }])).toBe(true);
  });

  it('replace the record of the same ordinal, and give at most 50 receipts', () => {
    let records: readonly StepRecord[] = [];
    for (let ordinal = 1; ordinal <= 60; ordinal += 1)
      records = withRecord(withRecord(records, record(ordinal)), record(ordinal, unsent));
    expect(records).toHaveLength(60);
    expect(receiptsOf(records)).toHaveLength(50);
    expect(receiptsOf([record(1)])).toEqual([]);
  });
});

describe('fitLists', () => {
  it('cuts a result to stay under 256 KB and marks it as truncated', () => {
    const documents = Array.from({ length: 3_000 }, (_, index) => ({ id: String(index), title: 'é'.repeat(100) }));
    const fitted = fitLists<{ documents: readonly object[]; truncated?: true }>({ documents }, ['documents']);
    expect(fitted.truncated).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(fitted))).toBeLessThan(256 * 1024);
    const few = { documents: documents.slice(0, 3) };
    expect(fitLists(few, ['documents'])).toEqual(few);
  });
});

describe('the messages about a stopped call', () => {
  const CASE = '1000001-51.2026.8.26.0100';

  it.each([
    [CASE, 'getCase', `The service does not know case ${CASE}: check its number or id`],
    [CASE, 'getSummary', `The service has no summary of case ${CASE}, or does not know it: summarizeCase orders one`],
    [
      'request f81d4fae',
      'getRequest',
      'The service does not know request f81d4fae, or its work has ended with this answer: check the id and the reason',
    ],
    [
      '3 registrations',
      'listNotices',
      'The service found no notices, or does not know one of these 3 registrations: check them',
    ],
    [
      'electoral board from 2026-08-15 to 2026-08-20',
      'searchElectoralBoard',
      'The service found nothing on the electoral board from 2026-08-15 to 2026-08-20: check the period and the filters',
    ],
    ['getCourt', 'getCourt', 'The service found nothing under these params: check them'],
  ])('name the subject of NotFound: %s by %s', (about, operation, text) => {
    expect(cureOf('NotFound', { about, operation })).toBe(text);
  });

  it('do not blame the case if no documents were found, because its refresh may be paid', () => {
    const about = '1000001-51.2026.8.26.0100';
    expect(cureOf('NotFound', { about, operation: 'listPublicDocuments' })).toBe(
      `The service lists no public documents of case ${about}: try again later; with maxAge a refresh that is paid is not bought again`,
    );
  });

  it('show a cap with the spend and the price, and a floor with the balance', () => {
    const cap = { outcome: 'HELD', because: 'budget', cap: 'day', limit: '5', needed: '5.2', price: '0.3' } as const;
    expect(budgetFigures(cap)).toBe('spent 4.9, this call 0.3, cap 5');
    const { price: _price, ...before } = cap;
    expect(budgetFigures(before)).toBe('needed 5.2, cap 5');
    expect(budgetFigures({ ...cap, cap: 'balance', limit: '1', needed: '2', balance: '1.5' })).toBe(
      'balance 1.5, this call 0.3, floor 1, needed with what is reserved 2',
    );
  });
});

describe('the file of a document that is listed on two pages', () => {
  const stored = (id: string) => ({ id, stored: `sha256/${id}`, sha256: id, bytes: 1 });
  const lost = (id: string) => ({ id, error: 'HTTP 403' });
  const page = (number: number, count: number, repeats = 0) => ({
    page: number,
    intentId: `row ${number}`,
    facts: { count, cut: false, total: null, hasMore: true, ...(repeats === 0 ? {} : { repeats }) },
  });
  const listed = withPage(withPage(NOTHING_LISTED, page(1, 2), [{ id: 'a' }, { id: 'b' }]), page(2, 2, 1), [
    { id: 'c' },
  ]);

  it.each([
    ['once if both links worked', stored('b'), stored('b')],
    ['as downloaded by the later link', lost('b'), stored('b')],
    ['as downloaded by the earlier link', stored('b'), lost('b')],
  ])('is reported %s', (_how, first, second) => {
    const files = withFiles(withFiles(listed, { documents: [stored('a'), first] }), { documents: [second, lost('c')] });
    expect(files.documents.items).toEqual([stored('a'), stored('b'), lost('c')]);
    expect(files.files).toMatchObject({ tried: 3, came: true });
  });
});
