import { FLOWS, namesProblem, resumeProblem, settleChargeProblem } from '../../src/protocol/index.js';
import allVectors from '../contract/vectors.json';

const vectors = allVectors.cnj;
const CNJ = '1000001-51.2026.8.26.0100';

describe('webhookUrl', () => {
  it.each([
    ['http://hooks.example/t0ken?key=s3cret', '"http://hooks.example/…"'],
    ['https://user:s3cret@hooks.example/', '"https://hooks.example/…"'],
    ['https://hooks.example/#s3cret', '"https://hooks.example/…"'],
    ['s3cret', '"no address"'],
    ['https://', '"no address"'],
    [5, 'number'],
  ])('%j is refused, and its message shows no possible secret', (webhookUrl, shown) => {
    const read = FLOWS.ensureNoticeMonitor.parse({ oabs: ['SP:123456'], webhookUrl });
    expect(read).toEqual({
      ok: false,
      problem: `input.webhookUrl must be an https address without user name and fragment; seen: ${shown}`,
    });
  });
});

it('a missing member is reported as nothing, also where its value would only be described', () => {
  expect(FLOWS.createRadar.parse({ reference: 'r' })).toEqual({
    ok: false,
    problem: 'input.definition must be a JSON object, the body of the service’s request; seen: nothing',
  });
});

describe('the input of a flow', () => {
  it('gets its defaults, and amounts in their shortest form', () => {
    expect(
      FLOWS.refreshCase.parse({ cnj: CNJ, maxSpend: '2.00', maxAge: '24h', webhook: '5m', once: 'order-1' }),
    ).toEqual({
      ok: true,
      value: {
        cnj: '10000015120268260100',
        courtKnown: true,
        account: 'default',
        documents: false,
        maxPages: 1,
        download: false,
        relist: false,
        maxSpend: '2',
        webhook: true,
        webhookPatienceMs: 300_000,
        maxAgeMs: 86_400_000,
        once: 'order-1',
      },
    });
  });

  it.each([
    [undefined, 'one JSON object'],
    [null, 'one JSON object'],
    ['1000001-51.2026.8.26.0100', 'one JSON object'],
    [[{ cnj: CNJ }], 'one JSON object'],
    [5, 'one JSON object'],
    [{}, 'input.cnj is missing'],
    [{ cnj: CNJ, document: true }, 'unknown member "document"'],
    [{ cnj: Number('10000015120268260100') }, 'input.cnj must be a string'],
    [{ cnj: CNJ, documents: 'true' }, 'input.documents must be true or false; seen: "true"'],
    [{ cnj: CNJ, maxPages: 0 }, 'input.maxPages must be a whole number from 1'],
    [{ cnj: CNJ, maxPages: 1.5 }, 'input.maxPages'],
    [{ cnj: CNJ, maxSpend: 2 }, 'input.maxSpend must be a decimal string'],
    [{ cnj: CNJ, maxSpend: '1,50' }, 'input.maxSpend'],
    [{ cnj: CNJ, maxAge: '1w' }, 'input.maxAge must be a duration'],
    [{ cnj: CNJ, webhook: 'soon' }, 'input.webhook must be true, false or a duration'],
    [{ cnj: CNJ, account: '../x' }, 'input.account'],
    [{ cnj: CNJ, once: '' }, 'input.once'],
    [{ cnj: CNJ, once: 7 }, 'input.once'],
    [{ cnj: CNJ, download: true }, 'input.download needs "documents": true'],
    [{ cnj: CNJ, documents: true, relist: true }, 'input.relist needs "download": true'],
  ])('%j is refused with the name of the member', (input, expected) => {
    const parsed = FLOWS.refreshCase.parse(input);
    expect(parsed.ok ? 'accepted' : parsed.problem).toContain(expected);
  });

  it.each([
    [FLOWS.refreshCase, { cnj: CNJ, documents: true, maxPages: 3n }, 'maxPages', 'bigint'],
    [FLOWS.callOperation, { operation: 'getCase', params: { cnj: () => 1 } }, 'params', 'function'],
    [FLOWS.callOperation, { operation: 'createRadar', body: { price: 3n } }, 'body', 'object'],
  ])('is refused with the name of a member that is not JSON (%#)', (flow, input, member, kind) => {
    const parsed = flow.parse(input);
    const problem = parsed.ok ? '' : parsed.problem;
    expect(problem).toContain(`input.${member}`);
    expect(problem).toContain(`seen: what is not JSON (${kind})`);
  });

  it.each([
    [FLOWS.createRadar.parse({ reference: 'r', definition: [1] }), 'seen: a list of 1'],
    [FLOWS.ensureNoticeMonitor.parse({ oabs: ['SP:1'], origins: [null] }), 'seen: null'],
    [FLOWS.ensureNoticeMonitor.parse({ oabs: ['SP:1'], terms: [''] }), 'seen: 0 characters'],
    [FLOWS.syncNotices.parse({ oabs: [] }), 'seen: 0 items'],
    [FLOWS.refreshPortfolio.parse({ name: 'p', cases: [CNJ, 5] }), 'seen: 5'],
  ])('is refused with what was seen in place of an object, a text or a case (%#)', (parsed, seen) => {
    expect(parsed.ok ? '' : parsed.problem).toContain(seen);
  });

  it('is refused with "nothing", not null, as what was seen of a missing member', () => {
    const problemOf = (input: object) => FLOWS.readCase.parse(input);
    expect(FLOWS.syncNotices.parse({})).toMatchObject({
      problem: expect.stringMatching(/registrations like "SP:123456"; seen: nothing$/) as string,
    });
    expect(problemOf({ cnj: CNJ })).toMatchObject({
      problem: expect.stringMatching(/summary; seen: nothing$/) as string,
    });
    expect(problemOf({ cnj: CNJ, include: null })).toMatchObject({
      problem: expect.stringMatching(/seen: null$/) as string,
    });
  });

  it.each([
    ['refreshCase', { cnj: CNJ, documents: true }],
    ['readCase', { cnj: CNJ, include: ['cover'] }],
    ['refreshPortfolio', { name: 'list' }],
    ['importLawyerCases', { oab: 'SP:123456' }],
    ['syncNotices', { oabs: ['SP:123456'] }],
    ['ensureNoticeMonitor', { oabs: ['SP:123456'] }],
    ['callOperation', { operation: 'getAccount' }],
    ['collectPages', { operation: 'listPrecatorios', maxPages: 1 }],
    ['searchBoard', { from: '2026-08-15', to: '2026-08-15', maxPages: 1 }],
    ['auditMonitors', {}],
  ] as const)('does not accept null for an absent member of %s, because it may be a lost cap or key', (type, input) => {
    const flow: { readonly members: object; parse(given: unknown): object } = FLOWS[type];
    expect(flow.parse(input)).toMatchObject({ ok: true });
    for (const member of Object.keys(flow.members)) {
      expect(flow.parse({ ...input, [member]: null })).toMatchObject({
        ok: false,
        problem: expect.stringMatching(new RegExp(`^input.${member} must `)) as string,
      });
    }
  });

  it.each([...vectors.wrongShape, ...vectors.wrongCheckDigits.map(([masked]) => masked!), vectors.probe])(
    'is refused with the case number %j',
    (cnj) => {
      expect(FLOWS.refreshCase.parse({ cnj })).toMatchObject({ ok: false });
    },
  );

  it.each([
    ['529.982.247-25', '52…5'],
    ['52998224725', '52…5'],
    ['529 982 247 25', '52…5'],
    ['52998224725 52998224725', '52…5'],
    ['12.345.678/0001-95', '12…5'],
    ['12345678000195', '12…5'],
    ['SP:123456', 'SP:…'],
  ])('is refused without a whole personal number in the message (%s)', (cnj, shown) => {
    const parsed = FLOWS.refreshCase.parse({ cnj });
    expect(parsed.ok ? '' : parsed.problem).toContain(shown);
    expect(parsed.ok ? '' : parsed.problem).not.toContain(cnj);
  });

  it('is refused with the whole mistyped case number in the message, so that a person can correct it', () => {
    const parsed = FLOWS.refreshCase.parse({ cnj: '1000001-15.2026.8.26.0100' });
    expect(parsed.ok ? '' : parsed.problem).toContain('1000001-15.2026.8.26.0100');
  });
});

describe('an integer beyond the safe range of JavaScript', () => {
  const naming = { token: (kind: string): string => kind };
  it.each([
    ['deactivateMonitor', '{"kind":"administrative","id":9007199254740993}'],
    ['createCaseMonitor', '{"reference":"r","definition":{"a":[{"b":-9007199254740993}]}}'],
  ] as const)('is refused in the plan of %s', (type, json) => {
    const plan = FLOWS[type].plan(JSON.parse(json), naming);
    expect(plan.ok ? '' : plan.problem).toContain('must be text: a number is exact only up to 9007199254740991');
  });

  it.each(['9007199254740991', '1.5', '0.1', '"9007199254740993"'])('is not assumed for the id %s', (id) => {
    const input: unknown = JSON.parse(`{"reference":"r","definition":{"id":${id}}}`);
    expect(FLOWS.createRadar.plan(input, naming)).toMatchObject({ ok: true });
  });
});

describe('a CPF in place of a name', () => {
  const CPF = '52998224725';
  it.each([
    ['of a member', FLOWS.refreshCase.parse({ cnj: CNJ, [CPF]: 1 })],
    ['of a parameter', FLOWS.callOperation.parse({ operation: 'getCase', params: { [CPF]: null } })],
    [
      'of a filter',
      FLOWS.searchBoard.parse({ from: '2026-01-01', to: '2026-01-02', filters: { [CPF]: 'x' }, maxPages: 1 }),
    ],
  ])('%s is not repeated whole', (_what, parsed) => {
    expect(parsed.ok ? '' : parsed.problem).toContain('52…5');
    expect(JSON.stringify(parsed)).not.toContain(CPF);
  });

  it('of an account is refused, because accounts are in search attributes and queue names', () => {
    const problem = namesProblem({ cnj: CNJ, account: CPF });
    expect(problem).toContain('input.account contains what looks like a CPF');
    expect(problem).not.toContain(CPF);
  });

  it('of a member of an update, or in place of an amount, is not repeated whole', () => {
    expect(settleChargeProblem({ step: 's', decision: 'charged', by: 'ana', [CPF]: 1 })).toContain('"52…5"');
    const problem = resumeProblem({ by: 'ana', maxSpend: `${CPF}x` });
    expect(problem).toContain('maxSpend: seen "52…5x"');
  });
});

describe('the input of a person’s decision', () => {
  it.each([
    [{ step: 's', decision: 'charged', by: 'ana', requestId: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6' }, undefined],
    [{ step: 's', decision: 'abandon', by: 'ana', note: 'ticket 7' }, undefined],
    [{ step: 's', decision: 'abandon', by: 'ana', intentId: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6' }, undefined],
    [{ step: 's', decision: 'abandon', by: 'ana', intentId: 7 }, 'intentId must be the id of a ledger row'],
    [undefined, 'one JSON object'],
    [{ step: 's', decision: 'refund', by: 'ana' }, 'decision must be one of'],
    [{ step: 's', decision: 'charged' }, 'by is missing'],
    [{ step: 's', decision: 'charged', by: 'ana', requestId: 'x' }, 'requestId must be a UUID'],
    [
      { step: 's', decision: 'not-charged', by: 'ana', requestId: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6' },
      'allowed only with',
    ],
    [{ step: 's', decision: 'charged', by: 'ana', amount: 3 }, 'unknown member "amount"'],
    [
      { step: 's', decision: 'charged', by: 'ana', note: 'spoke with 529.982.247-25' },
      'note contains what looks like a CPF or CNPJ',
    ],
    [{ step: 's', decision: 'charged', by: 'ana 52998224725' }, 'by contains what looks like a CPF or CNPJ'],
    [{ step: 's', decision: 'charged', by: 'ana\u0000' }, 'by has a control character'],
    [{ step: 's', decision: 'charged', by: 'ana \ud83d' }, 'by has half of a character'],
    [{ step: 's', decision: 'charged', by: 'ana', note: '\udc00' }, 'note has half of a character'],
    [{ step: 's', decision: 'charged', by: 'ana 😀', note: 'ação' }, undefined],
  ])('%j has the problem: %s', (input, problem) => {
    if (problem === undefined) expect(settleChargeProblem(input)).toBeUndefined();
    else expect(settleChargeProblem(input)).toContain(problem);
  });

  it('to resume must name who decided', () => {
    expect(resumeProblem({ by: 'ana' })).toBeUndefined();
    expect(resumeProblem({})).toContain('by is missing');
    expect(resumeProblem({ by: 'ana', note: '12.ABC.345/01DE-35' })).toContain('note contains');
  });
});
