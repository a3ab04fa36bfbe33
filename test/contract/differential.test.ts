/**
 * Our parsers compared with two other packages (development only), on valid numbers, numbers with one character changed,
 * and numbers with one character inserted. Every known difference is listed here.
 */
import { cnpj as strictCnpj, cpf as strictCpf } from 'cpf-cnpj-validator';
import fc from 'fast-check';
import { isCNPJ, isCPF, isJudicialProcess, isNUP17 } from 'validation-br';
import {
  expectedCheckDigits,
  nupCheckDigits,
  parseCnj,
  parseCnpj,
  parseCpf,
  parseNup17,
} from '../../src/contract/index.js';
import { cnpjOf, cpfOf } from './check-digits.js';
import vectors from './vectors.json';

/** A number with valid check digits that `cpf-cnpj-validator` refuses as made up. */
const MADE_UP_CPF = '12345678909';

const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`));
const RUNS = { numRuns: 3_000 };

/** `text` unchanged, or with the character at `place` replaced, or with a character inserted there. */
function damage(text: string, { place, by, how }: { place: number; by: string; how: number }): string {
  const at = place % text.length;
  if (how === 0) return text;
  return text.slice(0, at) + by + text.slice(at + (how === 1 ? 1 : 0));
}
const damages = (letters: RegExp) => fc.record({ place: fc.nat(20), by: fc.stringMatching(letters), how: fc.nat(2) });

describe('parseCpf', () => {
  it('agrees with both packages', () => {
    fc.assert(
      fc.property(digits(9), damages(/^[0-9Ax]$/), (base, change) => {
        const text = damage(cpfOf(base), change);
        fc.pre(text !== MADE_UP_CPF);
        const ours = parseCpf(text).ok;
        expect([text, strictCpf.isValid(text, true)]).toEqual([text, ours]);
        // The other package strips every non-digit, so only digits can be compared.
        if (/^\d{11}$/.test(text)) expect([text, isCPF(text)]).toEqual([text, ours]);
      }),
      RUNS,
    );
  });

  it('accepts a made-up number with valid check digits, which one package refuses', () => {
    expect(parseCpf(MADE_UP_CPF).ok).toBe(true);
    expect(isCPF(MADE_UP_CPF)).toBe(true);
    expect(strictCpf.isValid(MADE_UP_CPF, true)).toBe(false);
  });

  it.each([...vectors.cpf.valid, ...vectors.cpf.invalid.map(([text]) => text ?? '')])(
    'agrees with the strict package on %j',
    (text) => {
      if (text.replace(/\D/g, '') === MADE_UP_CPF) return;
      expect(strictCpf.isValid(text, true)).toBe(parseCpf(text).ok);
    },
  );
});

describe('parseCnpj', () => {
  it('agrees with both packages, with and without letters', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9A-Z]{12}$/), damages(/^[0-9AZ]$/), (base, change) => {
        const text = damage(cnpjOf(base), change);
        const ours = parseCnpj(text).ok;
        expect([text, strictCnpj.isValid(text, true)]).toEqual([text, ours]);
        expect([text, isCNPJ(text)]).toEqual([text, ours]);
      }),
      RUNS,
    );
  });

  it.each([...vectors.cnpj.valid, ...vectors.cnpj.invalid.map(([text]) => text ?? '')])(
    'agrees with the strict package on %j',
    (text) => {
      expect(strictCnpj.isValid(text, true)).toBe(parseCnpj(text).ok);
    },
  );
});

describe('parseNup17', () => {
  it('agrees with the package that knows NUPs', () => {
    fc.assert(
      fc.property(digits(15), damages(/^[0-9]$/), (base, change) => {
        const text = damage(base + nupCheckDigits(base), change);
        fc.pre(/^\d{17}$/.test(text));
        expect([text, isNUP17(text)]).toEqual([text, parseNup17(text).ok]);
      }),
      RUNS,
    );
  });
});

describe('parseCnj', () => {
  it('agrees with the package that knows segments 1 to 9', () => {
    fc.assert(
      fc.property(digits(18), damages(/^[0-9]$/), (base, change) => {
        const draft = `${base.slice(0, 7)}00${base.slice(7)}`;
        const text = damage(`${draft.slice(0, 7)}${expectedCheckDigits(draft)}${draft.slice(9)}`, change);
        // Known difference: the package refuses J = 0, the old numbers of the STF.
        fc.pre(/^\d{20}$/.test(text) && text[13] !== '0');
        expect([text, isJudicialProcess(text)]).toEqual([text, parseCnj(text).ok]);
      }),
      RUNS,
    );
  });

  it('accepts old numbers of the STF, which the package refuses', () => {
    for (const masked of vectors.cnj.valid.filter((text) => /\.0\.01\./.test(text))) {
      expect(parseCnj(masked).ok).toBe(true);
      expect(isJudicialProcess(masked)).toBe(false);
    }
  });
});
