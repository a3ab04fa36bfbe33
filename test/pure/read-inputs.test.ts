/** What the flows that read refuse before anything is spent: every identifier vector, and calls that the catalogue does not take. */
import { describeCall } from '../../src/activities/charged/describe-call.js';
import type { ActivityDeps } from '../../src/activities/index.js';
import {
  DEFAULT_GAPS,
  OPERATIONS,
  addCivilDays,
  countCivilDays,
  parseAmount,
  parseCivilDate,
  withExtraOperations,
  type CivilDate,
} from '../../src/contract/index.js';
import { FLOWS, cutIntoWindows } from '../../src/protocol/index.js';
import vectors from '../contract/vectors.json';

const deps = {
  accounts: new Map([['default', { baseUrl: 'https://api.test' }]]),
  catalogue: withExtraOperations(OPERATIONS, []),
  gaps: DEFAULT_GAPS,
  prices: { default: parseAmount('0.50') },
  token: (kind: string) => kind,
  webhookUrlHosts: ['hooks.test'],
} as unknown as ActivityDeps;
const describeIt = (operation: string, params: object, body?: object): string => {
  const call = { account: 'default', operation, params, ...(body === undefined ? {} : { body }) };
  const described = describeCall(deps, call as never);
  return described.known ? 'known' : described.problem;
};
const badCases = [
  ...vectors.cnj.wrongShape,
  ...vectors.cnj.wrongCheckDigits.map(([masked]) => masked ?? ''),
  vectors.cnj.probe,
];
const badPeople = [...vectors.cpf.invalid, ...vectors.cnpj.invalid].map(([number]) => number ?? '');

describe('identifiers that fail shape or check', () => {
  it.each(badCases)('case %j is refused by every flow about a case', (cnj) => {
    expect(FLOWS.readCase.parse({ cnj, include: ['cover'] })).toMatchObject({ ok: false });
    expect(FLOWS.summarizeCase.parse({ cnj })).toMatchObject({ ok: false });
    for (const operation of ['getCase', 'listMovements', 'requestSummary', 'listPublicDocuments']) {
      expect(describeIt(operation, { cnj })).toMatch(/^input\.params\.cnj /);
    }
  });

  it.each(badPeople)('document %j is refused, and never repeated', (number) => {
    const problem = describeIt('listCasesByDocument', { cpf_cnpj: number });
    expect(problem).toMatch(/^input\.params\.cpf_cnpj /);
    expect(problem).not.toContain(number);
  });

  it.each(vectors.oab.invalid)('registration %j is refused', (oab) => {
    expect(describeIt('listNotices', { oabs: [oab] })).toMatch(/^input\.params\.oabs /);
  });

  it.each(vectors.civilDates.refused.filter((text) => !/\d{2}:\d{2}/.test(text)))('day %j is refused', (day) => {
    expect(FLOWS.searchBoard.parse({ from: day, to: '2026-10-01', maxPages: 1 })).toMatchObject({ ok: false });
  });

  it.each(['', 'x', '7f1f9c52-5f0b-4c0e-9b7e-0123456789', 7, null])('request id %j is refused', (requestId) => {
    expect(FLOWS.awaitRequest.parse({ requestId })).toMatchObject({ ok: false });
  });
});

describe('calls', () => {
  it('of an account that this worker has not are refused, unless the flow has paid and goes on', () => {
    const call = { account: 'office', operation: 'listCourtSystems', params: {} };
    const problem = 'input.account "office" is not configured; configured accounts: default';
    expect(describeCall(deps, call)).toEqual({ known: false, problem });
    expect(describeCall(deps, { ...call, goesOn: true })).toMatchObject({ known: true });
  });

  it.each([
    [{ operation: 'getCase', params: { cnj: { a: 1 } } }, 'input.params.cnj must be text'],
    [{ operation: 'getCase', params: { cnj: Number.NaN } }, 'input.params.cnj must be text'],
    [{ operation: 'createRadar', body: [] }, 'input.body must be one JSON object'],
    [{ operation: 'createRadar', body: { x: 'y'.repeat(70_000) } }, 'input.body must be at most'],
    [
      { operation: 'searchTerm', params: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`p${n}`, 'x'])) },
      'at most 100 members',
    ],
    [{}, 'input.operation must be the id'],
  ])('of the form %# are refused', (input, problem) => {
    expect(FLOWS.callOperation.parse(input)).toMatchObject({
      ok: false,
      problem: expect.stringContaining(problem) as string,
    });
  });

  it('have one spelling of a case, so that equal calls are equal', () => {
    const masked = { operation: 'getCase', params: { cnj: '1000001-51.2026.8.26.0100' } };
    const bare = { operation: 'getCase', params: { cnj: '10000015120268260100' } };
    expect(FLOWS.callOperation.parse(masked)).toEqual(FLOWS.callOperation.parse(bare));
    expect(FLOWS.collectPages.parse({ ...masked, maxPages: 1 })).toEqual(
      FLOWS.collectPages.parse({ ...bare, maxPages: 1 }),
    );
  });

  it.each([
    ['https://hooks.test/x', 'known'],
    ['https://hooks.test:443/x', 'known'],
    ['https://hooks.test:8443/x', 'does not have'],
    ['https://hooks.test.evil.test/x', 'does not have'],
    ['https://evil.test/hooks.test', 'does not have'],
    ['https://hooks.test@evil.test/', 'webhook_url'],
    ['http://hooks.test/x', 'webhook_url'],
  ])('name a webhook only at a host of the configuration: %s', (url, problem) => {
    expect(describeIt('createRadar', {}, { termo: 'x', webhook_url: url })).toContain(problem);
    expect(describeIt('createNoticeMonitor', { oabs: ['SP:1'], webhook_url: url })).toContain(problem);
  });
});

describe('windows of the electoral board', () => {
  it.each([
    ['2026-09-01', '2026-09-01', 1],
    ['2026-09-01', '2026-09-07', 1],
    ['2026-09-01', '2026-09-08', 2],
    ['2026-12-28', '2027-01-11', 3],
    ['2024-02-25', '2024-03-10', 3],
  ])('from %s to %s are %d, at most seven days each, without gap or overlap', (from, to, count) => {
    const windows = cutIntoWindows({ from: parseCivilDate(from) as CivilDate, to: parseCivilDate(to) as CivilDate });
    expect(windows).toHaveLength(count);
    expect([windows[0]?.from, windows.at(-1)?.to]).toEqual([from, to]);
    for (const [place, window] of windows.entries()) {
      expect(countCivilDays(window.from, window.to)).toBeLessThanOrEqual(7);
      const before = windows[place - 1];
      if (before !== undefined) expect(window.from).toBe(addCivilDays(before.to, 1));
    }
  });
});
