/** A CPF or CNPJ in what becomes an id is seen, and other numbers are let through. */
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
])('%s is seen', (text) => {
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
])('%s is let through', (text) => {
  expect(holdsCpfOrCnpj(text)).toBe(false);
});

test('no UUID is taken for a person', () => {
  expect(Array.from({ length: 20_000 }, randomUUID).filter(holdsCpfOrCnpj)).toEqual([]);
});

const plain = (root: string): string => {
  const found = Array.from({ length: 100 }, (_, end) => root + String(end).padStart(2, '0')).find(
    (text) => parseCnpj(text).ok,
  );
  return found ?? '';
};

test('no second of an hour is taken for a company, and what is no time may be one', () => {
  const seconds = Array.from({ length: 3_600 }, (_, second) =>
    new Date(Date.UTC(2026, 10, 23, 22, 0, second)).toISOString().replace(/\D/g, '').slice(0, 14),
  );
  expect(seconds.filter((time) => holdsCpfOrCnpj(`sync-${time}`))).toEqual([]);
  expect(seconds.filter((time) => holdsCpfOrCnpj(`${time.slice(0, 8)} ${time.slice(8)}`))).toEqual([]);
  const [company] = seconds.filter((time) => parseCnpj(time).ok);
  expect(holdsCpfOrCnpj(formatCnpj(company ?? ''))).toBe(true);
  for (const root of ['202611310001', '202602302200', '202611232500', '202611232260', '192611232200', '202611230001'])
    expect(holdsCpfOrCnpj(`sync-${plain(root)}`)).toBe(true);
});

test('no token of ours is taken for a company; a number beside it, or in a part as long, is seen', () => {
  const id = 'refresh.default.ftRAJb1LWvIPRNq0G-fRixLUWF0iuS48';
  expect(idProblem('workflowId', id)).toBeUndefined();
  expect(idProblem('workflowId', 'refresh.default.a-ZZZZZZZZZZZZZZZZ-12ABC34501DE35')).toContain('holds');
  expect(idProblem('workflowId', `${id}.12ABC34501DE35`)).toContain('holds');
  expect(idProblem('workflowId', 'refresh.default.Acme-52998224725-of-May-and-June')).toContain('holds');
});

test.each([
  ['once', FLOWS.refreshCase.plan({ cnj: CNJ, once: 'client 529.982.247-25' }, NAMING)],
  ['name', FLOWS.refreshPortfolio.plan({ name: 'acme-11222333000181' }, NAMING)],
  ['reference', FLOWS.createRadar.plan({ reference: '52998224725', definition: { term: 'x' } }, NAMING)],
])('a start with one in input.%s is refused, and the number is not repeated', (member, plan) => {
  const problem = plan.ok ? '' : plan.problem;
  expect(problem).toContain(`input.${member} holds what reads as a CPF or CNPJ`);
  expect(problem).not.toMatch(/\d{3}/);
});

test('so is an id of the caller’s own', () => {
  expect(idProblem('workflowId', 'refresh 52998224725')).toContain('workflowId holds');
  expect(idProblem('workflowId', `refresh.default.${CNJ.replace(/\D/g, '')}`)).toBeUndefined();
});
