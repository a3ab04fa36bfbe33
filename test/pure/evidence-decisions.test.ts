/** The decisions of the evidence plans: what proves something about a charge, and what does not. */
import { readNoticeMonitors, readRadars, type Amount, type JsonObject } from '../../src/contract/index.js';
import {
  decideBalance,
  mayHaveBilled,
  stayedQuiet,
  whyBalanceIsSilent,
} from '../../src/activities/evidence/decide-balance.js';
import {
  askedOabs,
  decideCreatedNoticeMonitors,
  decideCreatedRadar,
  decideUpdatedNoticeMonitor,
  type ListingFacts,
} from '../../src/activities/evidence/decide-listing.js';
import { decideRefreshEvidence, type OtherRefresh } from '../../src/activities/evidence/decide-refresh-evidence.js';
import { evidenceAgainMs } from '../../src/workflows/step/parking.js';

const OPENED = Date.parse('2026-11-21T12:00:00Z');
const OURS = '11111111-1111-4111-8111-111111111111';
const THEIRS = '22222222-2222-4222-8222-222222222222';

describe('a refresh record', () => {
  const intent = { requestId: null, openedAtMs: OPENED, serviceOpenedAtMs: null };
  const evidence = (
    record: { readonly requestId?: string; readonly timeMs?: number },
    facts: Partial<Parameters<typeof decideRefreshEvidence>[1]> = {},
  ) =>
    decideRefreshEvidence(record as Parameters<typeof decideRefreshEvidence>[0], {
      intent,
      nowMs: OPENED + 600_000,
      seenAhead: [],
      skewMs: 0,
      others: [],
      ...facts,
    });
  const judge = (...given: Parameters<typeof evidence>) => evidence(...given).ours;
  const other = (more: Partial<OtherRefresh>): OtherRefresh => ({
    state: 'pending',
    requestId: null,
    openedAtMs: OPENED - 5_000,
    settledAtMs: null,
    evidence: null,
    ...more,
  });
  const later = { timeMs: OPENED + 60_000 };

  it('that has our request id is ours, whatever other refreshes are pending', () => {
    const known = { ...intent, requestId: OURS };
    expect(judge({ requestId: OURS }, { intent: known, others: [other({})] })).toBe(true);
    expect(judge({ requestId: THEIRS }, { intent: known })).toBe(false);
  });

  it.each([
    ['with a time after the call', later, true],
    ['with a time a second later, within the uncertainty of the clock', { timeMs: OPENED + 1_000 }, false],
    ['with a time just beyond that uncertainty', { timeMs: OPENED + 1_001 }, true],
    ['with the time of the call', { timeMs: OPENED }, false],
    ['with the time of an earlier refresh', { timeMs: OPENED - 86_400_000 }, false],
    ['without a time', {}, false],
    ['without a time, with an unknown request id', { requestId: THEIRS }, false],
  ])('%s is judged by its time', (_what, record, ours) => {
    expect(judge(record)).toBe(ours);
  });

  it('comes with its proof, or with the reason why it proves nothing', () => {
    const known = { ...intent, requestId: OURS };
    expect(evidence({ requestId: OURS }, { intent: known })).toEqual({ ours: true, proof: 'request id' });
    expect(evidence(later)).toEqual({ ours: true, proof: 'own time' });
    const why = (...given: Parameters<typeof evidence>) => ({ because: '', ...evidence(...given) }).because;
    expect(why({})).toBe('it shows no time');
    expect(why(later, { skewMs: null })).toContain('clock');
    expect(why({ timeMs: OPENED })).toContain('not later than this call');
    expect(why(later, { others: [other({})] })).toContain('another refresh of the case');
  });

  it('whose time was ahead of the clock of the service proves nothing, also later', () => {
    const wall = { timeMs: OPENED + 2 * 3_600_000 };
    expect(evidence(wall, { nowMs: OPENED + 20_000 })).toEqual({
      ours: false,
      because: 'its time is ahead of the clock of the service',
      aheadMs: wall.timeMs,
    });
    const laterOn = { nowMs: OPENED + 3 * 3_600_000 };
    expect(judge(wall, laterOn)).toBe(true);
    expect(judge(wall, { ...laterOn, seenAhead: [wall.timeMs] })).toBe(false);
    // The clocks of one service differ slightly from each other, and may all differ by hours from ours.
    expect(judge({ timeMs: OPENED + 50_000 }, { nowMs: OPENED + 20_000 })).toBe(true);
    expect(judge(wall, { nowMs: OPENED + 20_000, skewMs: 2 * 3_600_000 - 10_000 })).toBe(true);
    const dated = { ...intent, serviceOpenedAtMs: OPENED };
    expect(judge(wall, { intent: dated, nowMs: OPENED + 20_000, skewMs: null })).toBe(false);
  });

  it('is dated by the clock of the service', () => {
    expect(judge({ timeMs: OPENED + 60_000 }, { skewMs: 3_600_000 })).toBe(false);
    expect(judge({ timeMs: OPENED - 3_500_000 }, { skewMs: -3_600_000 })).toBe(true);
    expect(judge(later, { skewMs: null })).toBe(false);
    const dated = { ...intent, serviceOpenedAtMs: OPENED + 120_000 };
    expect(judge(later, { intent: dated, skewMs: null })).toBe(false);
    expect(judge(later, { intent: dated, skewMs: 0 })).toBe(false);
  });

  it.each<[string, Partial<OtherRefresh>, boolean]>([
    ['is open', { state: 'open' }, false],
    ['is pending', {}, false],
    ['is unknown', { state: 'unknown' }, false],
    ['was settled before and is unknown again', { state: 'unknown', settledAtMs: OPENED - 1 }, false],
    ['has ended since', { state: 'done', settledAtMs: OPENED + 1 }, false],
    ['ended at the moment of the call', { state: 'done', settledAtMs: OPENED }, false],
    ['is done at an unknown time', { state: 'done' }, false],
    ['ended just before the call, by some clock', { state: 'done', settledAtMs: OPENED - 4_999 }, false],
    ['ended before the call, by any clock', { state: 'done', settledAtMs: OPENED - 5_000 }, true],
    ['was paid and lost today', { state: 'charged_lost' }, false],
    ['was paid and lost last month', { state: 'charged_lost', openedAtMs: OPENED - 30 * 86_400_000 }, true],
    ['was paid and lost a whole day ago', { state: 'charged_lost', openedAtMs: OPENED - 86_400_000 }, true],
    ['was paid and lost less than a day ago', { state: 'charged_lost', openedAtMs: OPENED - 86_399_999 }, false],
    ['was abandoned', { state: 'closed', evidence: { decision: 'abandon' } }, false],
    [
      'was abandoned less than a day ago',
      { state: 'closed', evidence: { decision: 'abandon' }, openedAtMs: OPENED - 86_399_999 },
      false,
    ],
    [
      'was abandoned a whole day ago',
      { state: 'closed', evidence: { decision: 'abandon' }, openedAtMs: OPENED - 86_400_000 },
      true,
    ],
    ['was closed before it was sent', { state: 'closed', evidence: null }, true],
    ['was not charged', { state: 'closed', evidence: { decision: 'not-charged' } }, true],
    ['was never sent', { state: 'not_sent' }, true],
    ['was refused', { state: 'rejected' }, true],
  ])('is ours only if no other refresh of the case can have made it: one that %s', (_what, more, ours) => {
    expect(judge(later, { others: [other(more)] })).toBe(ours);
  });

  it('with a request id belongs to the other refresh that has this id', () => {
    const others = [other({ requestId: THEIRS })];
    expect(judge({ ...later, requestId: OURS }, { others })).toBe(true);
    expect(judge({ ...later, requestId: THEIRS }, { others })).toBe(false);
    expect(judge(later, { others })).toBe(false);
    // A call whose request id is unknown may have any id.
    expect(judge({ ...later, requestId: THEIRS }, { others: [other({ requestId: null })] })).toBe(false);
  });

  it.each<OtherRefresh['state']>(['done', 'rejected', 'not_sent', 'charged_lost', 'closed'])(
    'with the request id of another refresh is not ours, however long ago that one became %s',
    (state) => {
      const long = { state, openedAtMs: OPENED - 30 * 86_400_000, settledAtMs: OPENED - 29 * 86_400_000 };
      expect(evidence({ ...later, requestId: THEIRS }, { others: [other({ ...long, requestId: THEIRS })] })).toEqual({
        ours: false,
        because: 'it names the request of another refresh of the case',
      });
      expect(judge({ ...later, requestId: THEIRS }, { others: [other({ ...long, requestId: OURS })] })).toBe(true);
    },
  );
});

describe('a listing of radars', () => {
  const listed = (...records: JsonObject[]) => readRadars({ data: { items: records } })?.monitors ?? [];
  const radar = (id: string, more: JsonObject = {}): JsonObject => ({ id, ativo: true, termo: 'Acme', ...more });
  const facts: ListingFacts = { before: ['old'], complete: true, claimed: [], othersUndecided: false };
  const wanted = { termo: 'Acme', tribunais: ['TJSP', 'TJRJ'] };
  const decide = (records: JsonObject[], more: Partial<ListingFacts> = {}, definition: JsonObject = wanted) =>
    verdict(records, more, definition).ours;
  const verdict = (records: JsonObject[], more: Partial<ListingFacts>, definition: JsonObject) =>
    decideCreatedRadar(definition, listed(...records), { ...facts, ...more });

  it('shows our radar if one record is new and matches the definition', () => {
    expect(decide([radar('old'), radar('new', { tribunais: ['TJRJ', 'TJSP'] })])).toBe(true);
    expect(decide([radar('new')])).toBe(true);
  });

  const NONE = 'no new entry matches';
  const MATCH = [radar('new', { tribunais: ['TJRJ', 'TJSP'] })];
  it.each<[string, JsonObject[], Partial<ListingFacts>, string]>([
    ['the match existed before the call', [radar('old')], {}, NONE],
    ['the new radar has another term', [radar('new', { termo: 'Other' })], {}, NONE],
    ['the new radar has other courts', [radar('new', { tribunais: ['TJMG'] })], {}, NONE],
    ['the new radar is inactive', [radar('new', { ativo: false })], {}, NONE],
    ['two new radars match', [radar('new'), radar('newer')], {}, 'more than one'],
    ['the new radar is known from the answer of another call', [radar('new')], { claimed: ['new'] }, NONE],
    ['the listing before the call is incomplete', [radar('new')], { before: undefined }, 'completely before the call'],
    ['the listing is incomplete', [radar('new')], { complete: false }, 'could not be read completely'],
    ['only its term is shown, and another call is undecided', [radar('new')], { othersUndecided: true }, 'undecided'],
    ['the listing is empty', [], {}, NONE],
    ['the new radar has no id', [{ termo: 'Acme' }], {}, NONE],
  ])('proves nothing if %s, and says so', (_why, records, more, because) => {
    expect(verdict(records, more, wanted)).toEqual({
      ours: false,
      because: expect.stringContaining(because) as string,
    });
  });

  it('proves nothing if it shows only part of the definition and another call is undecided', () => {
    const definition = { ...wanted, variacoes: ['Acme SA'] };
    expect(decide(MATCH, {}, definition)).toBe(true);
    expect(decide(MATCH, { othersUndecided: true }, definition)).toBe(false);
  });

  it.each(['termo', 'term', 'nome'])('is searched by the term, whatever the name of its member: %s', (name) => {
    const found = verdict(MATCH, { othersUndecided: true }, { [name]: 'Acme', tribunais: ['TJSP', 'TJRJ'] });
    expect(found).toMatchObject({ ours: true, records: [{ id: 'new' }] });
    expect(decide(MATCH, {}, { [name]: 'Other' })).toBe(false);
  });

  it('is compared in nested members too, in any order and spelling', () => {
    const filtered = (filtros: JsonObject) => [radar('new', { filtros })];
    const definition = { termo: 'Acme', filtros: { a: 1, b: ['x', 'y'] } };
    const othersUndecided = true;
    expect(decide(filtered({ b: ['y', 'x'], a: '1' }), { othersUndecided }, definition)).toBe(true);
    expect(decide(filtered({ a: 2, b: ['x', 'y'] }), {}, definition)).toBe(false);
    expect(decide(filtered({ a: 1 }), {}, definition)).toBe(false);
    expect(decide(filtered({ c: 1, b: ['x', 'y'] }), {}, definition)).toBe(false);
  });

  it('shows our radar although another call is undecided, if it shows the whole definition', () => {
    expect(decide([radar('new', { tribunais: ['TJSP', 'TJRJ'] })], { othersUndecided: true })).toBe(true);
  });

  it('proves nothing about a definition without a term', () => {
    const found = verdict([radar('new'), { id: 'unnamed', ativo: true }], {}, { variacoes: ['Acme'] });
    expect(found).toEqual({ ours: false, because: expect.stringContaining('no term to find it by') as string });
  });
});

describe('a listing of notice monitors', () => {
  const listed = (...records: JsonObject[]) =>
    readNoticeMonitors({ data: { monitoramentos: records } })?.monitors ?? [];
  const monitor = (id: string, numero: string, more: JsonObject = {}): JsonObject => ({
    id,
    estado: 'SP',
    numero,
    status: 'ACTIVE',
    ativo: true,
    ...more,
  });
  const facts: ListingFacts = { before: [], complete: true, claimed: [], othersUndecided: false };
  const create = (
    oabs: string[],
    records: JsonObject[],
    more: Partial<ListingFacts> = {},
    definition: JsonObject = {},
  ) => decideCreatedNoticeMonitors({ oabs, definition }, listed(...records), { ...facts, ...more });

  it('shows our monitors if every registration has an active one and one is new', () => {
    expect(create(['SP:1', 'SP:2'], [monitor('a', '1'), monitor('b', '2')], { before: ['a'] })).toMatchObject({
      ours: true,
      records: [{ id: 'b' }],
    });
    expect(
      create(['SP:1'], [monitor('a', '1', { termos_auxiliares: ['X'] })], {}, { termos_auxiliares: ['X'] }).ours,
    ).toBe(true);
  });

  it('shows our monitor in a record of several registrations, but not in one with more registrations than requested', () => {
    const both = { id: 'a', oabs: ['SP:1', '2/SP'], status: 'ACTIVE', ativo: true };
    expect(create(['SP:1', 'SP:2'], [both])).toEqual({ ours: true, records: [both] });
    expect(create(['SP:1'], [both]).ours).toBe(false);
    expect(create(['SP:1', 'SP:3'], [both, monitor('b', '3')]).ours).toBe(false);
    expect(create(['SP:1', 'SP:3'], [both, monitor('b', '3')], { before: ['a'] })).toMatchObject({
      ours: true,
      records: [{ id: 'b' }],
    });
    const change = { oab: 'SP:2', definition: { origens_ids: [3] } };
    expect(decideUpdatedNoticeMonitor(change, listed({ ...both, origens_ids: [3] })).ours).toBe(true);
  });

  it('shows no new monitor if all existed before the call', () => {
    expect(create(['SP:1'], [monitor('a', '1')], { before: ['a'] })).toEqual({
      ours: false,
      because: 'no new entry matches',
    });
  });

  it.each<[string, JsonObject[], Partial<ListingFacts>]>([
    ['one registration has no monitor', [monitor('a', '1')], {}],
    ['all existed before the call', [monitor('a', '1'), monitor('b', '2')], { before: ['a', 'b'] }],
    ['one monitor is inactive', [monitor('a', '1'), monitor('b', '2', { status: 'INACTIVE', ativo: false })], {}],
    ['one monitor has other terms', [monitor('a', '1'), monitor('b', '2', { termosAuxiliares: ['Y'] })], {}],
    ['the listing before the call is incomplete', [monitor('a', '1'), monitor('b', '2')], { before: undefined }],
  ])('proves nothing if %s', (_why, records, more) => {
    expect(create(['SP:1', 'SP:2'], records, more, { termos_auxiliares: ['X'] }).ours).toBe(false);
  });

  const updated = (definition: JsonObject, record: JsonObject) =>
    decideUpdatedNoticeMonitor({ oab: 'SP:1', definition }, listed(record));
  const change = (definition: JsonObject, record: JsonObject) => updated(definition, record).ours;

  it('shows a change if every requested member of the record matches, in any spelling', () => {
    const requested = { termos_auxiliares: ['B', 'A'], webhook_url: 'https://hooks.example/x' };
    const shown = { termosAuxiliares: ['A', 'B'], webhook_url: 'https://hooks.example/x' };
    expect(change(requested, monitor('a', '1', shown))).toBe(true);
    expect(change({ origens_ids: [3] }, monitor('a', '1', { origens_ids: ['3'] }))).toBe(true);
    expect(change({ termos_auxiliares: [] }, monitor('a', '1'))).toBe(true);
    expect(change(requested, monitor('a', '1', { ...shown, termosAuxiliares: ['A'] }))).toBe(false);
    expect(change(requested, monitor('a', '1', { termosAuxiliares: ['A', 'B'] }))).toBe(false);
    expect(change(requested, monitor('a', '2', shown))).toBe(false);
    expect(change(requested, monitor('a', '1', { ...shown, status: 'INACTIVE', ativo: false }))).toBe(false);
    expect(change({}, monitor('a', '1'))).toBe(false);
  });

  it('shows a change with its record, or the reason why it shows none', () => {
    const record = monitor('a', '1', { origens_ids: [3] });
    expect(updated({ origens_ids: [3] }, record)).toEqual({ ours: true, records: [record] });
    const why = (...given: Parameters<typeof updated>) => ({ because: '', ...updated(...given) }).because;
    expect(why({ origens_ids: [3] }, monitor('a', '2'))).toContain('no active monitor');
    expect(why({}, record)).toContain('sets nothing that a listing shows');
    expect(why({ origens_ids: [4] }, record)).toContain('differs from the request');
  });

  it('treats members that are null as absent', () => {
    expect(change({ termos_auxiliares: [] }, monitor('a', '1', { termos_auxiliares: null }))).toBe(true);
    const shown = { termos_auxiliares: null, termosAuxiliares: ['A'] };
    expect(change({ termos_auxiliares: ['A'] }, monitor('a', '1', shown))).toBe(true);
  });

  it.each<[string, (url: string) => JsonObject]>([
    ['webhook_url', (url) => ({ webhook_url: url })],
    ['webhookUrl', (url) => ({ webhookUrl: url })],
    ['webhook.url', (url) => ({ webhook: { url } })],
    ['callback.url', (url) => ({ callback: { url } })],
  ])('is compared by its webhook URL in every place where that may be: %s', (_place, shown) => {
    const requested = { webhook_url: 'https://hooks.example/x' };
    expect(change(requested, monitor('a', '1', shown('https://hooks.example/x')))).toBe(true);
    expect(change(requested, monitor('a', '1', shown('https://hooks.example/y')))).toBe(false);
  });

  it('is compared with the registrations of the request, in either form and under configured names', () => {
    const names = { oabNumberParam: 'oab_numero', oabStateParam: 'oab_estado' };
    expect(askedOabs({ oabs: ['SP:1', 'RJ:2'] }, names)).toEqual(['SP:1', 'RJ:2']);
    expect(askedOabs({ oabs: 'SP:1,RJ:2' }, names)).toEqual(['SP:1', 'RJ:2']);
    expect(askedOabs({ oab_numero: '1', oab_estado: 'SP' }, names)).toEqual(['SP:1']);
    expect(askedOabs({ n: 7, uf: 'SP' }, { oabNumberParam: 'n', oabStateParam: 'uf' })).toEqual(['SP:7']);
    expect(askedOabs({}, names)).toEqual([]);
  });
});

describe('a balance', () => {
  const amount = (value: number) => value as Amount;
  const judge = (facts: {
    opening: number;
    now: number;
    between?: number | null;
    billed?: boolean;
    refunds?: boolean;
  }) =>
    decideBalance({
      opening: amount(facts.opening),
      now: amount(facts.now),
      chargedBetween: facts.between === null ? null : amount(facts.between ?? 0),
      mayHaveBilled: facts.billed ?? false,
      mayHaveRefunded: facts.refunds ?? false,
    });

  it.each([
    ['unchanged: not charged', { opening: 10_000, now: 10_000 }, 'not charged'],
    ['less only what others were charged: not charged', { opening: 10_000, now: 7_000, between: 3_000 }, 'not charged'],
    ['unchanged with monitors, which only take: not charged', { opening: 1, now: 1, billed: true }, 'not charged'],
    [
      'unchanged where a refund may hide a charge: nothing',
      { opening: 10_000, now: 10_000, refunds: true },
      'may hide a charge',
    ],
    ['less the price where refunds happen: charged', { opening: 10_000, now: 9_000, refunds: true }, 'charged'],
    ['less the price: charged', { opening: 10_000, now: 9_000 }, 'charged'],
    ['less the price besides the others: charged', { opening: 10_000, now: 6_000, between: 3_000 }, 'charged'],
    [
      'less, but a monitor may have been billed: nothing',
      { opening: 10_000, now: 9_000, billed: true },
      'a monitor may',
    ],
    ['grown: nothing', { opening: 10_000, now: 10_001 }, 'has grown'],
    [
      'another charge of unknown amount: nothing',
      { opening: 10_000, now: 10_000, between: null },
      'the amount of another charge since then is not known',
    ],
  ])('is judged by its change: %s', (_what, facts, says) => {
    const verdict = judge(facts);
    if (verdict.says === 'nothing') expect(verdict.because).toContain(says);
    else expect(verdict.says).toBe(says);
  });

  it('is evidence only for an exclusive account, and for a 202 only if the service debits at the answer', () => {
    const isEvidence = (exclusive: boolean, debitAt: 'answer' | 'completion' | 'unknown', eligible202: boolean) =>
      whyBalanceIsSilent({ exclusive, debitAt }, { eligible202 }) === undefined;
    expect(isEvidence(true, 'answer', true)).toBe(true);
    expect(isEvidence(true, 'answer', false)).toBe(true);
    expect(isEvidence(true, 'completion', false)).toBe(true);
    expect(isEvidence(true, 'completion', true)).toBe(false);
    expect(isEvidence(true, 'unknown', false)).toBe(false);
    expect(isEvidence(false, 'answer', false)).toBe(false);
  });

  it('is not evidence without a reason that people can read', () => {
    const why = (exclusive: boolean, debitAt: 'answer' | 'completion' | 'unknown') =>
      whyBalanceIsSilent({ exclusive, debitAt }, { eligible202: true });
    expect(why(true, 'answer')).toBeUndefined();
    expect(why(false, 'answer')).toContain('others may spend');
    expect(why(true, 'unknown')).toContain('not configured');
    expect(why(true, 'completion')).toContain('at the end of the work');
  });

  it('is evidence only if no other call changed meanwhile', () => {
    const before = { seq: 7, busy: 0, recentRows: 7, endedBelow: 100, begunBelow: 101 };
    const after = { ...before, endedBelow: 101, begunBelow: 104 };
    expect(stayedQuiet(before, after)).toBe(true);
    expect(stayedQuiet({ ...before, busy: 1 }, after)).toBe(false);
    expect(stayedQuiet(before, { ...after, busy: 1 })).toBe(false);
    expect(stayedQuiet(before, { ...after, seq: 8 })).toBe(false);
    // A row with an older sequence was committed meanwhile, or is still being written.
    expect(stayedQuiet(before, { ...after, recentRows: 8 })).toBe(false);
    expect(stayedQuiet(before, { ...after, endedBelow: 100 })).toBe(false);
  });

  it('may include the bill of a monitor unless the next debit of the monitor is later', () => {
    const toldAtMs = Date.parse('2026-11-01T12:00:00Z');
    const monitor = { nextDebitOn: '2026-12-01', askedAtMs: toldAtMs, toldAtMs };
    const between = (from: string, to: string) => ({ fromMs: Date.parse(from), toMs: Date.parse(to) });
    const quiet = between('2026-11-10T00:00:00Z', '2026-11-20T00:00:00Z');
    expect(mayHaveBilled(monitor, quiet)).toBe(false);
    expect(mayHaveBilled(monitor, between('2026-10-20T00:00:00Z', '2026-11-20T00:00:00Z'))).toBe(false);
    expect(mayHaveBilled({ ...monitor, nextDebitOn: null }, quiet)).toBe(true);
    expect(mayHaveBilled(monitor, between('2026-11-10T00:00:00Z', '2026-11-30T00:00:00Z'))).toBe(true);
    const changed = { ...monitor, askedAtMs: toldAtMs - 40 * 86_400_000 };
    expect(mayHaveBilled(changed, quiet)).toBe(false);
    // The monitor was last read at the opening balance itself, so the interval hides no debit.
    expect(mayHaveBilled(changed, { ...quiet, fromMs: toldAtMs })).toBe(false);
    expect(mayHaveBilled(changed, between('2026-10-20T00:00:00Z', '2026-11-20T00:00:00Z'))).toBe(true);
  });
});

describe('evidenceAgainMs', () => {
  it('grows from 20 seconds so that thirty days have about thirty looks', () => {
    let waitedMs = 0;
    let looks = 0;
    for (; waitedMs < 30 * 86_400_000; looks += 1) waitedMs += evidenceAgainMs(waitedMs);
    expect(evidenceAgainMs(0)).toBe(20_000);
    expect(looks > 20 && looks < 40).toBe(true);
  });
});
