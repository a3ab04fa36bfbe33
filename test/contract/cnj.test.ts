import { isValidProcessoJuridico } from '@brazilian-utils/brazilian-utils/is-valid-processo-juridico';
import fc from 'fast-check';
import { cnjDigits, expectedCheckDigits, formatCnj, parseCnj } from '../../src/contract/index.js';
import allVectors from './vectors.json';

const vectors = allVectors.cnj;

describe('parseCnj', () => {
  it.each(vectors.valid)('accepts %s, masked and bare, and knows its court', (masked) => {
    const bare = masked.replace(/[.-]/g, '');
    expect(parseCnj(masked)).toEqual({ ok: true, cnj: bare, courtKnown: true });
    expect(parseCnj(bare)).toEqual({ ok: true, cnj: bare, courtKnown: true });
    expect(formatCnj(bare)).toBe(masked);
  });

  it.each(vectors.wrongCheckDigits)('refuses %s and names its right check digits %s', (masked, right) => {
    expect(parseCnj(masked)).toEqual({ ok: false, problem: `has wrong check digits (${right} expected)` });
  });

  it.each([
    ['0000012-00.2026.8.26.0100', '97'],
    ['0000096-01.2026.8.26.0100', '98'],
    ['0000083-99.2026.8.26.0100', '02'],
  ])('refuses %s, whose check digits no number has, although its remainder is right', (masked, right) => {
    expect(parseCnj(masked)).toEqual({ ok: false, problem: `has wrong check digits (${right} expected)` });
  });

  it.each(vectors.wrongShape)('refuses the wrong shape %j, without stripping any character', (text) => {
    expect(parseCnj(text)).toMatchObject({ ok: false });
    expect(cnjDigits(text)).toBeUndefined();
  });

  it.each(vectors.unknownCourt)('accepts %s although its court is unknown', (masked) => {
    expect(parseCnj(masked)).toMatchObject({ ok: true, courtKnown: false });
  });

  it('knows the courts that the library knows, and the old pair 0.01 of the STF', () => {
    for (let pair = 0; pair < 1_000; pair += 1) {
      const draft = `0000001002020${String(pair).padStart(3, '0')}0001`;
      const digits = draft.slice(0, 7) + expectedCheckDigits(draft) + draft.slice(9);
      expect({ pair, known: parseCnj(digits) }).toEqual({
        pair,
        known: { ok: true, cnj: digits, courtKnown: pair === 1 || isValidProcessoJuridico(digits) },
      });
    }
  });

  it('refuses the all-zero probe number', () => {
    expect(parseCnj(vectors.probe)).toMatchObject({ ok: false });
  });

  it('refuses a JavaScript number, which has lost its last digits', () => {
    expect(parseCnj(Number('10000015120268260100'))).toEqual({ ok: false, problem: 'must be a string, got a number' });
  });

  it('accepts a sequence without leading zeros, surrounding blanks and a percent-encoded mask', () => {
    const digits = '00000026520054058100';
    for (const text of [
      '2-65.2005.4.05.8100',
      '  0000002-65.2005.4.05.8100 ',
      '0000002%2D65.2005.4.05.8100',
      '0000002%2d65%2E2005.4.05.8100',
    ]) {
      expect(parseCnj(text)).toMatchObject({ ok: true, cnj: digits });
    }
  });

  it('detects every change of one digit and every swap of two neighbours', () => {
    const base = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 18, maxLength: 18 }).map((digits) => {
      const text = digits.join('');
      const draft = `${text.slice(0, 7)}00${text.slice(7)}`;
      return `${draft.slice(0, 7)}${expectedCheckDigits(draft)}${draft.slice(9)}`;
    });
    fc.assert(
      fc.property(base, fc.integer({ min: 0, max: 19 }), fc.integer({ min: 1, max: 9 }), (digits, place, change) => {
        fc.pre(!/^0{20}$/.test(digits));
        expect(parseCnj(digits)).toMatchObject({ ok: true });
        const changed =
          digits.slice(0, place) + String((Number(digits[place]) + change) % 10) + digits.slice(place + 1);
        expect(parseCnj(changed).ok).toBe(false);
        const swapped =
          digits.slice(0, place) + (digits[place + 1] ?? '') + (digits[place] ?? '') + digits.slice(place + 2);
        if (swapped !== digits && swapped.length === 20) expect(parseCnj(swapped).ok).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });
});
