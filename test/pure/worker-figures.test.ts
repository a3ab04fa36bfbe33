/** Small pure parts for operators: metrics text, CSV, filters of `settle --where`, findings of a check, growing delays. */
import { isBack } from '../../src/activities/free/await-release.js';
import { findingsOf } from '../../src/cli/check/findings.js';
import { standsElsewhere } from '../../src/cli/settle/decide-charges.js';
import { csvLine } from '../../src/cli/output/csv.js';
import { parseWhere } from '../../src/cli/input/settle-filter.js';
import { notYet } from '../../src/activities/to-failure.js';
import { type Amount, withJitter } from '../../src/contract/index.js';
import { nameOfError } from '../../src/contract/values/index.js';
import type { Exchange } from '../../src/http/index.js';
import type { AccountCheck } from '../../src/ledger/index.js';
import { gaugesText } from '../../src/workers/gauges-text.js';
import { credentialsAgainMs, evidenceAgainMs } from '../../src/workflows/step/parking.js';
import { patienceMs, waitingFor } from '../../src/workflows/step/wait-for-account.js';

describe('CSV', () => {
  it('quotes cells that need quotes and keeps numbers', () => {
    expect(csvLine(['a', 'b,c', 'say "x"', null, '-0.05', '12', 'two\nlines', { by: 'ana' }])).toBe(
      'a,"b,c","say ""x""",,-0.05,12,"two\nlines","{""by"":""ana""}"\r\n',
    );
  });

  it.each(['=1+1', '+cmd', '-2+3', '@sum', '\t=1', ' =1', '|x', '%x', '\r=1'])(
    'makes %j harmless for a spreadsheet',
    (text) => {
      const [cell = ''] = csvLine([text]).split('\r\n').slice(0, 1);
      expect(csvLine([text]).replace(/^"/, '').startsWith("'")).toBe(true);
      expect(cell).not.toMatch(/^"?[=+\-@|%]/);
    },
  );
});

describe('filters of settle --where', () => {
  const NOW = 1_000_000_000;

  it('are combined into one filter', () => {
    expect(parseWhere(['account=x', 'older-than=2h', 'reason=a=b', 'state=unknown-charge'], NOW)).toEqual({
      account: 'x',
      openedUntilMs: NOW - 7_200_000,
      reason: 'a=b',
      state: 'unknown',
    });
    expect(parseWhere([], NOW)).toEqual({});
  });

  it.each([
    [['colour=red'], '--where: seen "colour=red"; expected key=value with one of account, operation'],
    [['account'], '--where: seen "account"'],
    [['account='], '--where account: seen ""'],
    [['state=done'], '--where state: seen "done"; expected unknown, charged_lost'],
    [['older-than=soon'], '--where older-than: seen "soon"; expected a duration like 2h'],
    [['account=a', 'account=b'], '--where: "account" is given twice'],
    [['constructor=x'], '--where: seen "constructor=x"'],
  ])('%j are refused with the name of the filter', (texts, problem) => {
    expect(() => parseWhere(texts, NOW)).toThrow(problem);
  });
});

describe('standsElsewhere', () => {
  it.each([
    ['tramita: nothing is parked: settleCharge is accepted only while the flow waits for a person', true],
    ['tramita: step "refresh" is not parked; the parked step is "list"', true],
    ['tramita: charge "a" of step "refresh" is not parked; the parked charge is "b"', true],
    ['tramita: settleCharge is not what "budget" waits for: send resume (`tramita resume`)', true],
    ['tramita: it is known that this was charged: give the requestId of the service', false],
    ['tramita: another decision is being recorded', false],
  ])('judges the refusal "%s": %s', (problem, elsewhere) => {
    expect(standsElsewhere(problem)).toBe(elsewhere);
  });
});

describe('findings of a ledger check', () => {
  const amount = (units: number): Amount => units as Amount;
  const check = (down: number, up: number): AccountCheck => ({
    account: 'default',
    chain: {
      readings: 2,
      firstBalance: amount(1),
      lastBalance: amount(1),
      charged: amount(0),
      untold: amount(0),
      drifts: [],
      down: amount(down),
      up: amount(up),
    },
    chargedBy: { told: amount(0), listed: amount(0), evidence: amount(0) },
    stuckOpen: [],
    undecided: [],
    unreported: { count: 0, reserved: amount(0), ids: [] },
    conflicts: [],
    lostOriginals: [],
    lostBodies: [],
    droppedBodies: 0,
    lostFiles: [],
    unexpected: [],
    wrongSums: [],
  });

  it('tolerate other spenders unless the account is exclusive', () => {
    expect(findingsOf(check(300, 10_000), false).map(({ act }) => act)).toEqual([false, false]);
    expect(findingsOf(check(300, 0), true)).toEqual([
      { act: true, text: expect.stringMatching(/0\.03 less .*exclusive/) as string },
    ]);
    expect(findingsOf(check(0, 0), true)).toEqual([]);
  });

  it('name finished calls whose charge is not known, for information', () => {
    const unreported = { count: 101, reserved: amount(50_500), ids: ['id-1', 'id-2', 'id-3', 'id-4'] };
    expect(findingsOf({ ...check(0, 0), unreported }, false)).toEqual([
      {
        act: false,
        text: '101 finished calls whose charge was never reported, reserved 5.05: id-1, id-2, id-3, …',
      },
    ]);
  });

  it('name rows that need a person', () => {
    const [finding] = findingsOf({ ...check(0, 0), stuckOpen: ['id-1', 'id-2'] }, false);
    expect(finding).toEqual({ act: true, text: '2 rows open for too long (does a worker run?): id-1, id-2' });
  });
});

describe('metrics text', () => {
  it('has one line per sample, and none for a gauge without samples', async () => {
    const gauges = [
      { name: 'a', help: 'First.', samples: [{ value: 1 }] },
      { name: 'b', help: 'Second.', samples: [{ labels: { account: 'x"y\n' }, value: 0.05 }] },
      { name: 'c', help: 'Third.', samples: [] },
    ];
    expect(await gaugesText(gauges)).toBe(
      '# HELP a First.\n# TYPE a gauge\na 1\n\n# HELP b Second.\n# TYPE b gauge\nb{account="x\\"y\\n"} 0.05\n',
    );
  });
});

/** How often a parked flow looks again by itself on its first day, and on each of the next twenty-nine. */
function looksByDay(againMs: (waitedMs: number) => number): {
  readonly first: number;
  readonly later: readonly number[];
} {
  const days = Array.from({ length: 30 }, () => 0);
  for (let waitedMs = againMs(0); waitedMs < 30 * DAY_MS; waitedMs += againMs(waitedMs)) {
    const day = Math.floor(waitedMs / DAY_MS);
    days[day] = (days[day] ?? 0) + 1;
  }
  const [first = 0, ...later] = days;
  return { first, later };
}

const DAY_MS = 86_400_000;

describe('free evidence', () => {
  it('is sought less and less often: from the second day on with at most 5 Actions a day', () => {
    expect(Math.max(...looksByDay(evidenceAgainMs).later) * 2).toBeLessThanOrEqual(5);
  });
});

describe('refused credentials', () => {
  it('are tried again every 15 minutes at first, and from the second day on with at most 5 Actions a day', () => {
    const MINUTE = 60_000;
    expect(credentialsAgainMs(0)).toBe(15 * MINUTE);
    expect(credentialsAgainMs(30 * MINUTE)).toBe(15 * MINUTE);
    const { first, later } = looksByDay(credentialsAgainMs);
    // Each try takes two Actions: a timer and a call.
    expect(Math.max(...later) * 2).toBeLessThanOrEqual(5);
    expect(later.reduce((sum, looks) => sum + looks, first)).toBeGreaterThan(15);
  });
});

describe('a held call', () => {
  it('waits half an hour in an unpaid flow, and a day at a time in a paid one', () => {
    const MINUTE = 60_000;
    for (const because of ['outage', 'throttled', 'database'] as const) {
      expect(patienceMs({ because, paid: false, heldForMs: 0 })).toBe(30 * MINUTE);
      expect(patienceMs({ because, paid: false, heldForMs: 29 * MINUTE })).toBe(MINUTE);
      expect(patienceMs({ because, paid: false, heldForMs: 31 * MINUTE })).toBe(0);
    }
    const DAY = 24 * 60 * MINUTE;
    for (const because of ['outage', 'database'] as const) {
      expect(patienceMs({ because, paid: true, heldForMs: 90 * DAY })).toBe(DAY);
    }
    // Each time that the service asks to wait is a hold of its own: together they last a day.
    expect(patienceMs({ because: 'throttled', paid: true, heldForMs: DAY - MINUTE })).toBe(MINUTE);
    expect(patienceMs({ because: 'throttled', paid: true, heldForMs: DAY })).toBe(0);
  });

  it('says what it waits for, what happens next, and when', () => {
    const untilMs = Date.parse('2026-03-10T12:30:00.000Z');
    const sinceMs = Date.parse('2026-03-10T12:00:00.000Z');
    const outage = { outcome: 'HELD', because: 'outage', sinceMs } as const;
    const database = { outcome: 'HELD', because: 'database', sinceMs, reason: 'no answer' } as const;
    expect(waitingFor(outage, { account: 'second', untilMs, paid: false })).toBe(
      'the service, which has been down for account "second" since 2026-03-10T12:00:00.000Z (its balance is read once a minute, free); the flow continues on its own, and ends as Unreachable if this lasts until 2026-03-10T12:30:00.000Z',
    );
    expect(waitingFor(database, { account: 'second', untilMs, paid: true })).toBe(
      'the database: no answer; nothing is sent meanwhile; the flow continues on its own, and asks a person if this lasts until 2026-03-10T12:30:00.000Z',
    );
  });

  it('waits for the ledger to be reconciled for as long as it takes, paid or not', () => {
    const YEAR_MS = 365 * 86_400_000;
    for (const paid of [false, true]) {
      expect(patienceMs({ because: 'ledger', paid, heldForMs: YEAR_MS })).toBe(86_400_000);
    }
  });
});

describe('a wait that many flows share', () => {
  it('is never shorter than requested, and up to 20 % longer', () => {
    expect(withJitter(1_000, () => 0)).toBe(1_000);
    expect(withJitter(1_000, () => 0.5)).toBe(1_100);
    expect(withJitter(1_000, () => 1)).toBe(1_200);
    const waits = Array.from({ length: 42 }, () => withJitter(60_000, Math.random));
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(6_000);
  });

  it('after "not yet" is spread, so that 42 polls do not meet in one millisecond', () => {
    const delays = Array.from({ length: 42 }, () => Number(notYet('wait', 10_000).nextRetryDelay));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(10_000);
    expect(Math.max(...delays)).toBeLessThanOrEqual(12_000);
    expect(new Set(delays).size).toBeGreaterThan(20);
  });
});

describe('the end of an outage', () => {
  const answer = (status: number, body = '{}'): Exchange => ({
    kind: 'answer',
    head: { status, headers: {}, receivedAtMs: 0 },
    body: Buffer.from(body),
  });

  it.each([
    [200, '{"data":{}}', true],
    [401, '', true],
    [404, 'no', true],
    [200, '<html>maintenance</html>', false],
    [429, '{}', false],
    [500, '{}', false],
    [503, '', false],
  ])('is shown by HTTP %i %s: %s', (status, body, back) => {
    expect(isBack(answer(status, body))).toBe(back);
  });

  it('is not shown by a missing answer', () => {
    expect(isBack({ kind: 'no_answer', reason: 'reset' })).toBe(false);
  });
});

describe('an error in a log or a message', () => {
  it('is shown by its name and code, never by its text', () => {
    const secret = Object.assign(new Error('postgresql://user:secret@host'), { code: 'ECONNREFUSED' });
    expect(nameOfError(secret)).toBe('Error ECONNREFUSED');
    expect(nameOfError(new Error('postgresql://user:secret@host'))).toBe('Error');
  });

  it('is shown by its text if that is a fixed text of the database driver, which has no code', () => {
    expect(nameOfError(new Error('timeout exceeded when trying to connect'))).toBe(
      'timeout exceeded when trying to connect',
    );
  });
});
