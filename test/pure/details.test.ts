import type { Progress } from '../../src/protocol/index.js';
import { describeProgress } from '../../src/workflows/flow/details.js';
import { progressSteps } from '../../src/workflows/flow/flow-record.js';
import type { Flow } from '../../src/workflows/flow/flow.js';
import type { ParkingPlace } from '../../src/workflows/flow/parking-place.js';
import { parkOnBudget } from '../../src/workflows/step/park-on-budget.js';
import { parkUntilResumed } from '../../src/workflows/step/parking.js';
import type { ChargedStep } from '../../src/workflows/step/step-run.js';

const subject = { label: '1000001-51.2026.8.26.0100', workflowId: 'refresh.default.10000015120268260100' };
const parked = (note: ParkingPlace['note'], type: ParkingPlace['givesUp']['type'] = 'Unreachable') => ({
  note,
  givesUp: { type, message: 'nobody decided' },
});
const progress: Progress = {
  state: 'waiting',
  waitingFor: 'the webhook of the service',
  since: '2026-11-20T12:00:00.000Z',
  nextCheckAt: '2026-11-20T12:10:00.000Z',
  attention: null,
  steps: [
    {
      step: 'requestRefresh',
      operation: 'requestRefresh',
      outcome: 'PENDING',
      amount: null,
      requestId: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
    },
  ],
  spent: { known: '0', unknown: 1 },
  counts: {},
};

describe('what an operator reads in the Temporal UI', () => {
  it('says what the flow waits for, when it looks next, and what it has spent', () => {
    const text = describeProgress(progress, subject);
    expect(text).toContain('waiting: the webhook of the service');
    expect(text).toContain('Next automatic check: 2026-11-20T12:10:00.000Z');
    expect(text).toContain('- `requestRefresh` (requestRefresh): **PENDING**, charge unknown, request f81d4fae');
    expect(text).toContain('Spent: 0 and 1 charge(s) that the service has not reported.');
  });

  it('says of a parked flow what happened, what each answer does, how to answer, and when the flow gives up', () => {
    const text = describeProgress(
      { ...progress, state: 'parked', attention: 'unknown-charge', nextCheckAt: null },
      subject,
      parked(
        {
          step: 'requestRefresh',
          story: 'POST refresh was sent and got no answer.',
          choices: ['`not-charged`: sent again', '`abandon`: give up'],
        },
        'UnknownCharge',
      ),
    );
    expect(text).toContain('Needs a person: `unknown-charge`');
    expect(text).toContain('- `abandon`: give up');
    expect(text).toContain("tramita settle 'refresh.default.10000015120268260100' --step requestRefresh");
    expect(text).toContain('settleCharge` with `{"step":"requestRefresh"');
    expect(text).toContain('ends as `UnknownCharge` at 2026-12-20T12:00:00.000Z');
  });

  it.each([
    ['ledger-lost', 'Start every worker with its own folder before you decide'],
    ['credentials', 'The flow tries again on its own'],
    ['unexpected-charge', 'for 30 days no flow of the account makes this read on its own'],
  ] as const)('says of %s what happens by itself, or what to do first', (attention, what) => {
    expect(describeProgress({ ...progress, attention }, subject)).toContain(what);
  });

  it('names the charge, if it is known, in the commands to copy', () => {
    const text = describeProgress({ ...progress, state: 'parked', attention: 'unknown-charge' }, subject, {
      ...parked({ step: 'requestRefresh', story: 's', choices: ['`abandon`: give up'] }),
      intentId: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
    });
    expect(text).toContain('--step requestRefresh --intent f81d4fae-7dec-11d0-a765-00a0c91e6bf6 --decision');
    expect(text).toContain('{"step":"requestRefresh","intentId":"f81d4fae-7dec-11d0-a765-00a0c91e6bf6","decision"');
  });

  it.each(['`abandon`: give up', '`resume`: try again'])(
    'keeps a quote of the workflow id in the word (%s)',
    (choice) => {
      const place = parked({ step: 'getCase', story: 's', choices: [choice] });
      const text = describeProgress(
        { ...progress, state: 'parked' },
        { ...subject, workflowId: "x'; reboot; '" },
        place,
      );
      expect(text).toContain(String.raw`'x'\''; reboot; '\''' --`);
    },
  );

  it('says of a held call that it was not sent', () => {
    const held = progressSteps([{ step: 'list/1', operation: 'listPublicDocuments', ordinal: 1, held: true }]);
    const text = describeProgress({ ...progress, steps: held }, subject);
    expect(text).toContain('- `list/1` (listPublicDocuments): **HELD**, not sent');
    expect(text).not.toContain('in flight');
  });

  it('names the task queue of a requested call, because the flow stops if no worker serves it', () => {
    const requesting = { ...progress, state: 'requesting' as const, waitingFor: 'POST refresh #1' };
    expect(describeProgress(requesting, { ...subject, callQueue: 'mine-charged-default' })).toContain(
      'Nothing is sent before a worker of the task queue `mine-charged-default` has taken the call.',
    );
    expect(describeProgress(progress, subject)).not.toContain('task queue');
  });

  it('names the command resume if that is what helps', () => {
    const note = { step: 'requestRefresh', story: 's', choices: ['`resume`: try again now'] };
    const text = describeProgress({ ...progress, state: 'parked', attention: 'stalled' }, subject, parked(note));
    expect(text).toContain("tramita resume 'refresh.default.10000015120268260100' --by");
    expect(text).not.toContain('settleCharge');
  });
});

describe('a flow parked until it is resumed', () => {
  const place = async (cause: Parameters<typeof parkUntilResumed>[2]): Promise<ParkingPlace> => {
    const places: ParkingPlace[] = [];
    const flow = {
      label: () => 'requestRefresh',
      parkUntilVerdict: (parked: ParkingPlace) => Promise.resolve(void places.push(parked)),
    } as unknown as Flow;
    await parkUntilResumed(flow, { step: 's', title: 'POST refresh', operation: 'requestRefresh' }, cause);
    return places[0] as ParkingPlace;
  };
  const unsent = { charged: '0', reused: false, settled: true } as const;

  it('says why the call did not go through, and what has to happen', async () => {
    const facts = { ...unsent, reason: 'our database is away' };
    expect(await place({ attention: 'stalled', facts, waitsFor: 'the database' })).toMatchObject({
      waitingFor: 'the database, or a person to try again',
      note: { story: expect.stringContaining('POST refresh could not be completed (our database is away).') as string },
      givesUp: {
        type: 'Unreachable',
        message:
          'POST refresh could not be completed (our database is away), and nothing changed in 30d 00h. Fix the cause and start again',
      },
    });
  });

  it.each([
    [500, 'HTTP 500', 'POST refresh got HTTP 500. The'],
    [503, 'HTTP 503, but the body is cut', 'POST refresh got HTTP 503 (the body is cut). The'],
    [500, 'HTTP 5000 units', 'POST refresh got HTTP 500 (HTTP 5000 units). The'],
    [500, 'the source is down', 'POST refresh got HTTP 500 (the source is down). The'],
  ])('says the status %i beside the reason "%s" once', async (status, reason, story) => {
    const { note } = await place({ attention: 'stalled', facts: { ...unsent, status, reason } });
    expect(note.story).toContain(story);
  });

  it('says how often the call was tried', async () => {
    const refused = { ...unsent, status: 429, reason: 'slow down' };
    expect((await place({ attention: 'stalled', facts: refused, tries: 5 })).note.story).toContain(
      'POST refresh got HTTP 429 (slow down) in 5 tries. The flow',
    );
  });

  it.each([
    ['a key', { attention: 'credentials', facts: { ...unsent, status: 401 } }, 'Set the right API key'],
    ['a right', { attention: 'credentials', facts: { ...unsent, status: 403 } }, 'Ask the service to allow'],
    ['a poll', { attention: 'credentials', facts: { ...unsent, status: 401 }, free: true }, 'Set the right API key'],
    ['balance', { attention: 'budget', facts: { ...unsent, status: 402 } }, 'Top up the balance'],
    ['the service', { attention: 'stalled', facts: { ...unsent, status: 429 } }, '`tramita doctor`'],
    ['a repeated call', { attention: 'stalled', facts: unsent, byPersonOnly: true }, '`tramita doctor`'],
    [
      'a summary',
      {
        attention: 'stalled',
        facts: { ...unsent, status: 404 },
        byPersonOnly: true,
        first: 'It may not be there yet.',
      },
      'It may not be there yet.',
    ],
  ] as const)('says what to do about %s first, and what a try costs', async (_what, cause, first) => {
    const { note, waitingFor } = await place(cause);
    expect(note.story).toContain(first);
    const isFree = 'free' in cause;
    const isDear = 'byPersonOnly' in cause;
    const cost = isFree ? 'free' : isDear ? 'it may cost again' : 'the call is charged if the service accepts it';
    expect(note.choices).toEqual([`\`resume\`: try again now; ${cost}`]);
    // No event ends a wait whose end may cost again, so the service is not waited for.
    expect(waitingFor === 'a person to try again').toBe(isDear);
  });

  it('says the status of a refusal once, and its remedy when it gives up', async () => {
    const facts = { ...unsent, status: 401, reason: 'HTTP 401' };
    expect(await place({ attention: 'credentials', facts })).toMatchObject({
      waitingFor: 'a key that the service accepts',
      note: { story: expect.stringContaining('POST refresh got HTTP 401. ') as string },
      givesUp: { type: 'Unauthorized', message: expect.stringContaining('TRAMITA_API_KEY') as string },
    });
  });
});

describe('a flow that a limit stops', () => {
  const step: ChargedStep = { step: 's', title: 'POST refresh', operation: 'requestRefresh', params: {}, flags: [] };
  const bought = { step: 's', operation: 'requestRefresh', ordinal: 1, outcome: { outcome: 'DONE', charged: '0.1' } };
  /** The message of its failure, at once or after thirty days, and what it asks a person for meanwhile. */
  const stopped = async (cap: keyof typeof NAMES, { maxSpend = '1.00', paid = false } = {}) => {
    const places: ParkingPlace[] = [];
    const flow = {
      settings: { maxSpend },
      paid: () => paid,
      book: () => ({ records: [bought] }),
      fail: (_type: string, message: string) => new Error(message),
      parkUntilVerdict: (place: ParkingPlace) => Promise.resolve(void places.push(place)),
    } as unknown as Flow;
    const held = { outcome: 'HELD', because: 'budget', cap, limit: '1', needed: '1.1', price: '0.1' } as const;
    const failed = await parkOnBudget(flow, step, held).then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    );
    return { message: failed ?? places[0]?.givesUp.message ?? '', note: places[0]?.note };
  };
  const NAMES = {
    flow: 'TRAMITA_MAX_SPEND_PER_FLOW',
    day: 'TRAMITA_MAX_SPEND_PER_DAY',
    balance: 'TRAMITA_MIN_BALANCE',
    shared: 'the portfolio that started this flow',
  } as const;

  it.each(Object.entries(NAMES))('by %s names its setting when it ends', async (cap, setting) => {
    const named = { message: expect.stringMatching(new RegExp(setting, 'i')) as string };
    expect(await stopped(cap as keyof typeof NAMES, { maxSpend: '2.00' })).toMatchObject(named);
    expect(await stopped(cap as keyof typeof NAMES, { maxSpend: '2.00', paid: true })).toMatchObject(named);
  });

  it('names the maxSpend of its input only if that is the limit', async () => {
    expect((await stopped('flow')).message).toMatch(/nothing was sent\. Start again with a larger maxSpend$/);
    const raise = expect.stringContaining('--max-spend') as string;
    expect((await stopped('flow', { paid: true })).note?.choices).toContainEqual(raise);
    expect((await stopped('flow', { paid: true, maxSpend: '2.00' })).note?.choices).not.toContainEqual(raise);
  });
});
