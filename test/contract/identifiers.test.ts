import fc from 'fast-check';
import {
  UFS,
  addCivilDays,
  countCivilDays,
  formatCnpj,
  formatCpf,
  formatNup17,
  formatOab,
  formatOabQuery,
  nupCheckDigits,
  parseAdminNumber,
  parseCivilDate,
  parseCnpj,
  parseCpf,
  parseCpfCnpj,
  parseNup17,
  parseOab,
  readCivilDate,
  type CivilDate,
} from '../../src/contract/index.js';
import { cnpjOf, cpfOf } from './check-digits.js';
import vectors from './vectors.json';

const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`));
const alphanumeric = (length: number) => fc.stringMatching(new RegExp(`^[0-9A-Z]{${length}}$`));

describe('a CPF', () => {
  it.each(vectors.cpf.valid)('like %s is valid, masked and bare', (masked) => {
    const bare = masked.replace(/[.-]/g, '');
    for (const text of [masked, bare, ` ${masked} `]) expect(parseCpf(text)).toEqual({ ok: true, cpf: bare });
    expect(formatCpf(bare)).toBe(masked);
    expect(parseCpfCnpj(masked)).toEqual({ ok: true, kind: 'cpf', value: bare });
  });

  it.each(vectors.cpf.invalid)('like %j is refused without repeating it: %s', (text) => {
    const read = parseCpf(text);
    expect(read.ok).toBe(false);
    expect(parseCpfCnpj(text).ok).toBe(false);
    expect(JSON.stringify(read)).not.toContain(text);
  });

  it('as a JavaScript number is refused, because it has lost its leading zeros', () => {
    expect(parseCpf(191).ok).toBe(false);
  });

  it('with one character changed is refused', () => {
    fc.assert(
      fc.property(digits(9), fc.nat(10), fc.integer({ min: 1, max: 9 }), (base, place, change) => {
        const cpf = cpfOf(base);
        fc.pre(!/^(.)\1+$/.test(cpf));
        expect(parseCpf(cpf).ok).toBe(true);
        const other = cpf.slice(0, place) + String((Number(cpf[place]) + change) % 10) + cpf.slice(place + 1);
        // Remainders 0 and 1 both give the digit 0, so two values of one place can share a check digit.
        if (cpfOf(other.slice(0, 9)) !== other) expect(parseCpf(other).ok).toBe(false);
        expect(parseCpf(`${cpf.slice(0, place)}x${cpf.slice(place + 1)}`).ok).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a CNPJ', () => {
  it.each(vectors.cnpj.valid)('like %s is valid, masked, bare and in lower case', (masked) => {
    const bare = masked.replace(/[./-]/g, '');
    for (const text of [masked, bare, masked.toLowerCase()]) expect(parseCnpj(text)).toEqual({ ok: true, cnpj: bare });
    expect(formatCnpj(bare)).toBe(masked);
    expect(parseCpfCnpj(bare)).toEqual({ ok: true, kind: 'cnpj', value: bare });
  });

  it.each(vectors.cnpj.invalid)('like %s is refused: %s', (text) => {
    expect(parseCnpj(text).ok).toBe(false);
    expect(parseCpfCnpj(text).ok).toBe(false);
  });

  it('with one character changed is refused, with or without letters', () => {
    fc.assert(
      fc.property(alphanumeric(12), fc.nat(13), alphanumeric(1), (base, place, replacement) => {
        const cnpj = cnpjOf(base);
        fc.pre(!/^(.)\1+$/.test(cnpj));
        expect(parseCnpj(cnpj).ok).toBe(true);
        const other = cnpj.slice(0, place) + replacement + cnpj.slice(place + 1);
        const stillRight = /\d\d$/.test(other) && cnpjOf(other.slice(0, 12)) === other;
        expect(parseCnpj(other).ok).toBe(stillRight);
        expect(parseCnpj(`${cnpj.slice(0, place)}.${cnpj.slice(place)}-`).ok).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('an OAB registration', () => {
  it.each(vectors.oab.valid as [unknown, string][])('spelled as %j has the key %s', (spelling, key) => {
    const read = parseOab(spelling);
    expect(read).toMatchObject({ ok: true, key });
    if (read.ok) {
      expect(formatOab(read.oab)).toBe(key);
      expect(formatOabQuery(read.oab)).toBe(key.replace(/-.$/, ''));
    }
  });

  it.each(vectors.oab.invalid.map((value) => [value]))('spelled as %j is refused', (spelling) => {
    expect(parseOab(spelling).ok).toBe(false);
  });

  it('has one key in every spelling', () => {
    const uf = fc.constantFrom(...UFS);
    fc.assert(
      fc.property(uf, fc.integer({ min: 1, max: 9_999_999 }), (state, number) => {
        const padded = String(number).padStart(7, '0');
        const spellings = [
          `${state}:${number}`,
          `${number}/${state}`,
          `${state}${padded}`,
          `OAB/${state} ${number}`,
          `OAB/${state}-${padded}`,
          { numero: padded, uf: state },
          { numero: number, uf: state.toLowerCase() },
        ];
        for (const spelling of spellings) expect(parseOab(spelling)).toMatchObject({ key: `${state}:${number}` });
        expect(parseOab(`${state}:${number}x9`).ok).toBe(false);
      }),
    );
    expect(UFS).toHaveLength(27);
  });
});

describe('a NUP', () => {
  it.each(vectors.nup.valid)('like %s is valid, masked and bare', (masked) => {
    const bare = masked.replace(/\D/g, '');
    for (const text of [masked, bare]) expect(parseNup17(text)).toEqual({ ok: true, nup: bare });
    expect(formatNup17(bare)).toBe(masked);
    expect(parseAdminNumber(masked)).toMatchObject({ ok: true, form: 'nup17' });
  });

  it.each(vectors.nup.invalid)('like %s is refused: %s', (text) => {
    expect(parseNup17(text).ok).toBe(false);
  });

  it('with one digit changed is refused', () => {
    fc.assert(
      fc.property(digits(15), fc.nat(14), fc.integer({ min: 1, max: 9 }), (base, place, change) => {
        const nup = base + nupCheckDigits(base);
        expect(parseNup17(nup).ok).toBe(true);
        const other = base.slice(0, place) + String((Number(base[place]) + change) % 10) + base.slice(place + 1);
        if (nupCheckDigits(other) !== nup.slice(15)) expect(parseNup17(other + nup.slice(15)).ok).toBe(false);
      }),
    );
  });

  it('is one of several forms of an administrative number', () => {
    expect(parseAdminNumber('SEI-12345/2026')).toMatchObject({ ok: true, form: 'other', number: 'SEI-12345/2026' });
    expect(parseAdminNumber('23037.001462/2021-66')).toMatchObject({ ok: true, form: 'other' });
    // 7 + 8 + 4 + 2 digits, with the check digits 98 - (base × 100 mod 97).
    const base = '0000001000000022015';
    const right = String(98n - ((BigInt(base) * 100n) % 97n)).padStart(2, '0');
    expect(parseAdminNumber(base + right)).toMatchObject({ ok: true, form: 'revoked nup21' });
    for (const odd of ['123', 'a\u0000'.repeat(8), '<script>alert(1)', 'x'.repeat(31), 5]) {
      expect(parseAdminNumber(odd).ok).toBe(false);
    }
  });
});

describe('a civil date', () => {
  it.each(vectors.civilDates.read)('of the service like %s is the day %s', (text, date) => {
    expect(readCivilDate(text)).toBe(date);
  });

  it.each(vectors.civilDates.refused)('of the service like %j is refused', (text) => {
    expect(readCivilDate(text)).toBeUndefined();
  });

  it('of a caller has only the form yyyy-MM-dd', () => {
    expect(parseCivilDate('2026-11-20')).toBe('2026-11-20');
    expect(parseCivilDate('20/11/2026')).toBeUndefined();
    expect(parseCivilDate(20261120)).toBeUndefined();
  });

  it('is counted without a time zone, both ends included', () => {
    const at = (text: string): CivilDate => parseCivilDate(text)!;
    expect(addCivilDays(at('2026-12-31'), 1)).toBe('2027-01-01');
    expect(addCivilDays(at('2018-11-04'), -1)).toBe('2018-11-03');
    expect(countCivilDays(at('2026-11-20'), at('2026-11-26'))).toBe(7);
    expect(countCivilDays(at('2026-11-20'), at('2026-11-19'))).toBe(0);
    fc.assert(
      fc.property(fc.integer({ min: -200_000, max: 200_000 }), (days) => {
        const later = addCivilDays(at('2026-01-01'), days);
        expect(parseCivilDate(later)).toBe(later);
        expect(countCivilDays(at('2026-01-01'), later)).toBe(days + 1);
      }),
    );
  });
});
