/** Timing hints: grammar, precedence, clocks, limits. */
import { present, type PollHints } from '../../src/contract/index.js';
import { MAX_HINT_MS, MAX_POLL_DELAY_MS, pollDelayMs, readHintMs } from '../../src/http/retry-timing.js';

/** 2026-01-01T12:00:00Z, a Thursday. */
const NOW = Date.UTC(2026, 0, 1, 12);
const minute = 60_000;

interface Sources {
  readonly retryAfter?: string;
  readonly hints?: PollHints;
  readonly dateMs?: number;
}

const vectors: readonly (readonly [string, Sources, number | null])[] = [
  ['no hint', {}, null],
  ['zero', { retryAfter: '0' }, 0],
  ['seconds', { retryAfter: '5' }, 5_000],
  ['leading zeros', { retryAfter: '005' }, 5_000],
  ['surrounding blanks', { retryAfter: ' 5 ' }, 5_000],
  ['surrounding tabs', { retryAfter: '\t5\t' }, 5_000],
  ['a negative number', { retryAfter: '-1' }, null],
  ['a signed number', { retryAfter: '+5' }, null],
  ['a fraction', { retryAfter: '1.5' }, null],
  ['an exponent', { retryAfter: '1e3' }, null],
  ['a hexadecimal number', { retryAfter: '0x10' }, null],
  ['an empty value', { retryAfter: '' }, null],
  ['blanks only', { retryAfter: '  ' }, null],
  ['other digits than ASCII', { retryAfter: '٥' }, null],
  ['a unit', { retryAfter: '5s' }, null],
  ['two values joined', { retryAfter: '5, 10' }, null],
  ['words', { retryAfter: 'soon' }, null],
  ['a huge number', { retryAfter: '999999999999' }, MAX_HINT_MS],
  ['a number beyond any float', { retryAfter: '9'.repeat(400) }, MAX_HINT_MS],
  ['an epoch, which is still seconds', { retryAfter: '1767225600' }, MAX_HINT_MS],
  ['IMF-fixdate ahead', { retryAfter: 'Thu, 01 Jan 2026 12:02:00 GMT' }, 2 * minute],
  ['RFC 850 ahead', { retryAfter: 'Thursday, 01-Jan-26 12:02:00 GMT' }, 2 * minute],
  ['asctime ahead', { retryAfter: 'Thu Jan  1 12:02:00 2026' }, 2 * minute],
  ['a date in the past', { retryAfter: 'Thu, 01 Jan 2026 11:00:00 GMT' }, 0],
  ['RFC 850 of the last century', { retryAfter: 'Sunday, 06-Nov-94 08:49:37 GMT' }, 0],
  ['a date a year ahead', { retryAfter: 'Fri, 01 Jan 2027 12:00:00 GMT' }, MAX_HINT_MS],
  ['a leap second', { retryAfter: 'Thu, 01 Jan 2026 12:00:60 GMT' }, minute],
  ['a day that does not exist', { retryAfter: 'Tue, 31 Feb 2026 12:00:00 GMT' }, null],
  ['day zero', { retryAfter: 'Thu, 00 Jan 2026 12:00:00 GMT' }, null],
  ['hour 24', { retryAfter: 'Thu, 01 Jan 2026 24:00:00 GMT' }, null],
  ['a month that does not exist', { retryAfter: 'Thu, 01 Foo 2026 12:00:00 GMT' }, null],
  ['another zone than GMT', { retryAfter: 'Thu, 01 Jan 2026 12:02:00 BRT' }, null],
  ['an ISO date in the header', { retryAfter: '2026-01-01T12:02:00Z' }, null],
  [
    'a date against a service clock one hour fast',
    { retryAfter: 'Thu, 01 Jan 2026 13:02:00 GMT', dateMs: NOW + 60 * minute },
    2 * minute,
  ],
  [
    'a date against a service clock one hour slow',
    { retryAfter: 'Thu, 01 Jan 2026 11:02:00 GMT', dateMs: NOW - 60 * minute },
    2 * minute,
  ],
  ['pollAfterMs', { hints: { pollAfterMs: 1_500 } }, 1_500],
  ['pollAfterMs zero', { hints: { pollAfterMs: 0 } }, 0],
  ['pollAfterMs with a fraction, rounded up', { hints: { pollAfterMs: 10.2 } }, 11],
  ['pollAfterMs negative', { hints: { pollAfterMs: -5 } }, null],
  ['pollAfterMs not a number', { hints: { pollAfterMs: Number.NaN } }, null],
  ['pollAfterMs huge', { hints: { pollAfterMs: 1e15 } }, MAX_HINT_MS],
  ['pollAfterSeconds', { hints: { pollAfterSeconds: 2.5 } }, 2_500],
  ['pollAfterSeconds negative', { hints: { pollAfterSeconds: -1 } }, null],
  ['nextPollAt', { hints: { nextPollAt: '2026-01-01T12:00:30Z' } }, 30_000],
  ['nextPollAt with an offset', { hints: { nextPollAt: '2026-01-01T09:00:30-03:00' } }, 30_000],
  ['nextPollAt without a zone is São Paulo time', { hints: { nextPollAt: '2026-01-01 09:00:30' } }, 30_000],
  ['nextPollAt in the past', { hints: { nextPollAt: '2026-01-01T11:00:00Z' } }, 0],
  ['nextPollAt without a time', { hints: { nextPollAt: '2026-01-02' } }, null],
  [
    'nextPollAt by the service clock',
    { hints: { nextPollAt: '2026-01-01T13:00:30Z' }, dateMs: NOW + 60 * minute },
    30_000,
  ],
  ['Retry-After before all others', { retryAfter: '3', hints: { pollAfterMs: 1, pollAfterSeconds: 2 } }, 3_000],
  ['pollAfterMs before pollAfterSeconds', { hints: { pollAfterMs: 1_000, pollAfterSeconds: 9 } }, 1_000],
  ['pollAfterSeconds before nextPollAt', { hints: { pollAfterSeconds: 9, nextPollAt: '2026-01-01T12:00:30Z' } }, 9_000],
  ['an invalid header before the body', { retryAfter: '1e3', hints: { pollAfterMs: 700 } }, 700],
  ['an invalid pollAfterMs before pollAfterSeconds', { hints: { pollAfterMs: -1, pollAfterSeconds: 4 } }, 4_000],
  ['all invalid', { retryAfter: 'x', hints: { pollAfterMs: -1, pollAfterSeconds: -1, nextPollAt: 'x' } }, null],
];

test.each(vectors)('readHintMs reads %s', (_title, { retryAfter, hints, dateMs }, expected) => {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  const head = { status: 202, headers, receivedAtMs: NOW, ...present({ dateMs }) };
  expect(readHintMs(head, hints)).toBe(expected);
});

test.each([
  [null, 0, 1_000],
  [0, 0, 1_000],
  [999, 0, 1_000],
  [5_000, 0, 5_000],
  [5_000, 60_000, 5_000],
  [5_000, 200_000, 10_000],
  [null, 20_001, 1_001],
  [null, 24 * 3_600_000, MAX_POLL_DELAY_MS],
  [MAX_HINT_MS, 0, MAX_POLL_DELAY_MS],
  [null, -5, 1_000],
  [null, Number.NaN, 1_000],
  [1_500.5, 0, 1_501],
])('hint %s after waiting %s ms polls in %s ms', (hintMs, waitedMs, expected) => {
  expect(pollDelayMs({ hintMs, waitedMs })).toBe(expected);
});
