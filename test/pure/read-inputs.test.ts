/** What reading flows refuse before anything is spent: invalid identifiers, and calls that the catalogue does not allow. */
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
import { titleWithCost } from '../../src/workflows/parts/monitor-steps.js';
import vectors from '../contract/vectors.json';

const deps = {
  accounts: new Map([['default', { baseUrl: 'https://api.test' }]]),
  catalogue: withExtraOperations(OPERATIONS, []),
  gaps: DEFAULT_GAPS,
  prices: { default: parseAmount('0.50') },
  token: (kind: string) => kind,
  webhookUrlHosts: ['hooks.test'],
} as unknown as ActivityDeps;
const problemOf = (operation: string, params: object, body?: object): string => {
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

describe('an identifier of a wrong shape or with wrong check digits', () => {
  it.each(badCases)('is refused by every flow about a case: %j', (cnj) => {
    expect(FLOWS.readCase.parse({ cnj, include: ['cover'] })).toMatchObject({ ok: false });
    expect(FLOWS.summarizeCase.parse({ cnj })).toMatchObject({ ok: false });
    for (const operation of ['getCase', 'listMovements', 'requestSummary', 'listPublicDocuments']) {
      expect(problemOf(operation, { cnj })).toMatch(/^input\.params\.cnj /);
    }
  });

  it.each(badPeople)('is refused as a CPF or CNPJ, and not repeated in the message: %j', (number) => {
    const problem = problemOf('listCasesByDocument', { cpf_cnpj: number });
    expect(problem).toMatch(/^input\.params\.cpf_cnpj /);
    expect(problem).not.toContain(number);
  });

  it.each(vectors.oab.invalid)('is refused as a lawyer’s registration: %j', (oab) => {
    expect(problemOf('listNotices', { oabs: [oab] })).toMatch(/^input\.params\.oabs /);
  });

  it.each(vectors.civilDates.refused.filter((text) => !/\d{2}:\d{2}/.test(text)))('is refused as a day: %j', (day) => {
    expect(FLOWS.searchBoard.parse({ from: day, to: '2026-10-01', maxPages: 1 })).toMatchObject({ ok: false });
  });

  it.each(['', 'x', '7f1f9c52-5f0b-4c0e-9b7e-0123456789', 7, null])('is refused as a request id: %j', (requestId) => {
    expect(FLOWS.awaitRequest.parse({ requestId })).toMatchObject({ ok: false });
  });
});

describe('the title of a call that bills every month', () => {
  const titled = (prices: object): string => {
    const asked = { account: 'default', operation: 'createRadar', params: {}, body: { termo: 'Acme' } };
    const described = describeCall({ ...deps, prices } as unknown as ActivityDeps, asked);
    return described.known ? titleWithCost('POST radar', described) : described.problem;
  };

  it('names a configured price', () => {
    expect(titled({ ...deps.prices, createRadar: parseAmount('1.10') })).toBe(
      'POST radar (recurring charge, about 1.1)',
    );
  });

  it('does not show the default reserve as its price', () => {
    expect(titled(deps.prices)).toBe('POST radar (recurring charge)');
  });
});

describe('a call', () => {
  it('of an account that this worker does not have is refused, unless a flow that has paid continues', () => {
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
  ])('with a malformed input is refused (%#)', (input, problem) => {
    expect(FLOWS.callOperation.parse(input)).toMatchObject({
      ok: false,
      problem: expect.stringContaining(problem) as string,
    });
  });

  it('has one spelling of a case number, so that equal calls are equal', () => {
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
  ])('may only name a webhook at a configured host: %s', (url, problem) => {
    expect(problemOf('createRadar', {}, { termo: 'x', webhook_url: url })).toContain(problem);
    expect(problemOf('createNoticeMonitor', { oabs: ['SP:1'], webhook_url: url })).toContain(problem);
  });
});

describe('windows of the electoral board', () => {
  it.each([
    ['2026-09-01', '2026-09-01', 1],
    ['2026-09-01', '2026-09-07', 1],
    ['2026-09-01', '2026-09-08', 2],
    ['2026-12-28', '2027-01-11', 3],
    ['2024-02-25', '2024-03-10', 3],
  ])(
    'from %s to %s number %d, last at most seven days each, and neither leave a gap nor overlap',
    (from, to, count) => {
      const windows = cutIntoWindows({ from: parseCivilDate(from) as CivilDate, to: parseCivilDate(to) as CivilDate });
      expect(windows).toHaveLength(count);
      expect([windows[0]?.from, windows.at(-1)?.to]).toEqual([from, to]);
      for (const [place, window] of windows.entries()) {
        expect(countCivilDays(window.from, window.to)).toBeLessThanOrEqual(7);
        const before = windows[place - 1];
        if (before !== undefined) expect(window.from).toBe(addCivilDays(before.to, 1));
      }
    },
  );
});
