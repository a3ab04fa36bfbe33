/** Personal numbers in text that is shown, logged or stored: none stays whole, and nothing else is cut. */
import { cutNumbers, maskPersonalNumbers } from '../../src/contract/index.js';

const COMPANIES = ['12ABC34501DE35', '12.ABC.345/01DE-35', '12abc34501de35', 'SANDBK0L000139'];
const OTHERS = [
  ...['listCasesByDocument', 'requestRefresh', 'resultado_busca_oab_async', 'ATUALIZACAO_2026', '2026-03-01T10:20:30Z'],
  ...['9f21a2c4-3d27-4b7e-9d91-0d131a14b53b', 'monitor.default.radar.radar-362', 'k2, k1 and 3 more'],
];

test.each(COMPANIES)('a CNPJ with letters is masked, or cut: %s', (company) => {
  const text = `input.cnj must be 20 digits; seen: "${company}"`;
  expect(maskPersonalNumbers(text)).toBe(
    `input.cnj must be 20 digits; seen: "${company.slice(0, 2)}…${company.slice(-1)}"`,
  );
  expect(cutNumbers(text)).toBe('input.cnj must be 20 digits; seen: "[number]"');
});

test.each(OTHERS)('maskPersonalNumbers keeps text without a personal number: %s', (text) => {
  expect(maskPersonalNumbers(text)).toBe(text);
});

test.each([
  ['Advogado OAB SP 123456 (SP:123456, 123.456/SP)', 'Advogado OAB SP [number] (SP:[number], [number]/SP)'],
  ['OAB/SP nº 1.234 e OAB 123456-A', 'OAB/SP nº [number] e OAB [number]-A'],
  ['oab_numero=123456, oab: sp123456', 'oab_numero=[number], oab: sp[number]'],
  ['oabs sp:123 RJ123456 MG-12345', 'oabs sp:[number] RJ[number] MG-[number]'],
  ['123456-E/SP, 1234 RJ', '[number]-E/SP, [number] RJ'],
])('cutNumbers cuts the registration of a lawyer: %s', (text, expected) => {
  expect(cutNumbers(text)).toBe(expected);
});

test.each([
  ['HTTP 404, 429 or 500: PENDING', 'up to 5000 items, UP TO 5000 ITEMS', 'se 12345 itens', 'code PE-101, AC 12'],
  ['since SP 2026-03-01T10:20:30Z', '12000 AM', 'TJSP 12345', 'page 3/20', 'OAB 404', 'wait 3600 s', 'R$ 1.234,56 SP'],
])('cutNumbers keeps counts, codes, statuses and times: %s', (...texts) => {
  expect(texts.map(cutNumbers)).toEqual(texts);
});

test.each(['a-', '1a', '12ABC345-', '1 ', '12.', 'OAB', 'SP', 'SP 123 '])(
  'cutNumbers and maskPersonalNumbers take linear time: %s…',
  (part) => {
    // Quadratic time would take minutes; linear time takes a second at most.
    const text = part.repeat(100_000);
    const beganAt = performance.now();
    cutNumbers(text);
    maskPersonalNumbers(text);
    expect(performance.now() - beganAt).toBeLessThan(10_000);
  },
);
