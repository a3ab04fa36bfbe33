/** A CPF or CNPJ in what becomes an id is seen, and other numbers are let through. */
import { randomUUID } from 'node:crypto';
import { holdsCpfOrCnpj } from '../../src/contract/values/index.js';
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
