/** A CPF or CNPJ in an id is detected; other numbers are not taken for one. */
import { randomUUID } from 'node:crypto';
import { formatCnpj, holdsCpfOrCnpj, parseCnpj } from '../../src/contract/values/index.js';
import { FLOWS, idProblem } from '../../src/protocol/index.js';

const CNJ = '1000001-51.2026.8.26.0100';
const NAMING = { token: () => 'token' };

test.each([
  '529.982.247-25',
  '52998224725',
  'client 529.982.247-25, May',
  'cpf52998224725',
  'x-52998224725_y',
  '529 982 247 25',
  '11.222.333/0001-81',
  '11222333000181',
  'acme-11222333000181',
  '12.ABC.345/01DE-35',
  '12ABC34501DE35',
  'for 12abc34501de35',
])('holdsCpfOrCnpj finds a CPF or CNPJ in %s', (text) => {
  expect(holdsCpfOrCnpj(text)).toBe(true);
});

test.each([
  CNJ,
  '10000015120268260100',
  `portfolio/monday/10000015120268260100`,
  '529.982.247-26',
  '11111111111',
  '2026-11-22T13:30:59Z',
  'order-1',
  '1763818259000',
  '152998224725',
  'SP:123456',
  '00000000-0000-4000-8000-052998224725',
  'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3',
])('holdsCpfOrCnpj finds nothing in %s', (text) => {
  expect(holdsCpfOrCnpj(text)).toBe(false);
});

test('holdsCpfOrCnpj takes no UUID for a personal number', () => {
  expect(Array.from({ length: 20_000 }, randomUUID).filter(holdsCpfOrCnpj)).toEqual([]);
});

const cnpjWithRoot = (root: string): string => {
  const found = Array.from({ length: 100 }, (_, end) => root + String(end).padStart(2, '0')).find(
    (text) => parseCnpj(text).ok,
  );
  return found ?? '';
};

test('holdsCpfOrCnpj takes no timestamp for a CNPJ, but does take digits that are not a valid time', () => {
  const seconds = Array.from({ length: 3_600 }, (_, second) =>
    new Date(Date.UTC(2026, 10, 23, 22, 0, second)).toISOString().replace(/\D/g, '').slice(0, 14),
  );
  expect(seconds.filter((time) => holdsCpfOrCnpj(`sync-${time}`))).toEqual([]);
  expect(seconds.filter((time) => holdsCpfOrCnpj(`${time.slice(0, 8)} ${time.slice(8)}`))).toEqual([]);
  const [company] = seconds.filter((time) => parseCnpj(time).ok);
  expect(holdsCpfOrCnpj(formatCnpj(company ?? ''))).toBe(true);
  for (const root of ['202611310001', '202602302200', '202611232500', '202611232260', '192611232200', '202611230001'])
    expect(holdsCpfOrCnpj(`sync-${cnpjWithRoot(root)}`)).toBe(true);
});

test('idProblem accepts our tokens, but finds a personal number beside a token or in a part of that length', () => {
  const id = 'refresh.default.ftRAJb1LWvIPRNq0G-fRixLUWF0iuS48';
  expect(idProblem('workflowId', id)).toBeUndefined();
  expect(idProblem('workflowId', 'refresh.default.a-ZZZZZZZZZZZZZZZZ-12ABC34501DE35')).toContain(
    'contains what looks like',
  );
  expect(idProblem('workflowId', `${id}.12ABC34501DE35`)).toContain('contains what looks like');
  expect(idProblem('workflowId', 'refresh.default.Acme-52998224725-of-May-and-June')).toContain(
    'contains what looks like',
  );
});

test.each([
  ['once', FLOWS.refreshCase.plan({ cnj: CNJ, once: 'client 529.982.247-25' }, NAMING)],
  ['name', FLOWS.refreshPortfolio.plan({ name: 'acme-11222333000181' }, NAMING)],
  ['reference', FLOWS.createRadar.plan({ reference: '52998224725', definition: { term: 'x' } }, NAMING)],
])('a start with a CPF or CNPJ in input.%s is refused, and the message does not repeat the number', (member, plan) => {
  const problem = plan.ok ? '' : plan.problem;
  expect(problem).toContain(`input.${member} contains what looks like a CPF or CNPJ`);
  expect(problem).not.toMatch(/\d{3}/);
});

test('a workflow id of the caller with a CPF is refused', () => {
  expect(idProblem('workflowId', 'refresh 52998224725')).toContain('workflowId contains');
  expect(idProblem('workflowId', `refresh.default.${CNJ.replace(/\D/g, '')}`)).toBeUndefined();
});
