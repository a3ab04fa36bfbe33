import fc from 'fast-check';
import {
  formatAmount,
  formatDuration,
  parseAmount,
  parseDurationMs,
  parseRequestId,
  readInstantMs,
  readServiceAmount,
  requestIdFromUrl,
} from '../../src/contract/index.js';

describe('an amount', () => {
  it.each([
    ['0.05', 500],
    ['2.00', 20_000],
    ['2', 20_000],
    ['0.1444', 1_444],
    ['10000000000.0001', 100_000_000_000_001],
  ])('of %s is %d ten-thousandths', (text, units) => {
    expect(parseAmount(text)).toBe(units);
  });

  it.each(['', '1,50', '-1', '+1', '.5', '1.', '1.00001', '1e3', ' 1', '0x10', 'NaN'])('cannot be %j', (text) => {
    expect(parseAmount(text)).toBeUndefined();
  });

  it('is written in its shortest form and read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 14 }), (units) => {
        expect(parseAmount(formatAmount(units))).toBe(units);
      }),
    );
    expect(['0', '0.05', '2', '0.3', '-0.5']).toEqual([0, 500, 20_000, 3_000, -5_000].map(formatAmount));
  });

  it.each([
    [0.05, 500],
    [0.07, 700],
    [1.1, 11_000],
    ['50000.0000', 500_000_000],
    [0.14444, 1_444],
    [0.14445, 1_445],
    [-0.5, -5_000],
    [0, 0],
    ['0,32', 3_200],
    ['0,125', 1_250],
    ['R$ 0,05', 500],
    ['-12,5', -125_000],
    ['R$\u00a01.234,56', 12_345_600],
    ['4999,36', 49_993_600],
    ['R$ 50.000', 500_000_000],
    ['1.234.567', 12_345_670_000],
    ['1.234', 12_340],
  ])('%p of the service is read as %d, from its decimal text', (value, units) => {
    expect(readServiceAmount(value)).toBe(units);
  });

  it.each([null, undefined, '', 'free', Number.NaN, Infinity, {}, [], true, '1,234', '1,234.56', '1.2,3', ',5', '5,'])(
    '%p of the service is unknown, not zero',
    (value) => {
      expect(readServiceAmount(value)).toBeUndefined();
    },
  );
});

describe('a duration', () => {
  it.each([
    ['90s', 90_000],
    ['10m', 600_000],
    ['24h', 86_400_000],
    ['30d', 2_592_000_000],
    ['0s', 0],
  ])('of %s is %d ms', (text, ms) => {
    expect(parseDurationMs(text)).toBe(ms);
  });

  it.each(['', '10', 'm', '1.5h', '-1s', '10 m', '1w', '99999999999d', '1h30m'])('cannot be %j', (text) => {
    expect(parseDurationMs(text)).toBeUndefined();
  });

  it('is formatted for people', () => {
    expect([12_000, 200_000, 3_900_000, 93_600_000].map(formatDuration)).toEqual(['12s', '3m 20s', '1h 05m', '1d 02h']);
  });
});

describe('a request id', () => {
  const id = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6';

  it('is a UUID in lower case', () => {
    expect(parseRequestId(id.toUpperCase())).toBe(id);
    expect(parseRequestId(`${id}/../x`)).toBeUndefined();
    expect(parseRequestId(12)).toBeUndefined();
  });

  it('is read from the last path segment of a status URL of any origin', () => {
    expect(requestIdFromUrl(`https://elsewhere.example/v1/requests/${id}?a=b#c`)).toBe(id);
    expect(requestIdFromUrl(`/v1/requests/${id}/`)).toBe(id);
    expect(requestIdFromUrl('/v1/requests/')).toBeUndefined();
    expect(requestIdFromUrl(`${'/'.repeat(1_000_000)}x`)).toBeUndefined();
  });
});

describe('a time of the service', () => {
  it.each([
    ['2026-11-20T12:00:00Z', '2026-11-20T12:00:00.000Z'],
    ['2026-11-20T12:00:00.123-03:00', '2026-11-20T15:00:00.123Z'],
    ['2026-11-20 09:00:00', '2026-11-20T12:00:00.000Z'],
    ['2026-11-20T09:00:00', '2026-11-20T12:00:00.000Z'],
    ['20/11/2026 09:00:00', '2026-11-20T12:00:00.000Z'],
    ['20/11/2026 09:00', '2026-11-20T12:00:00.000Z'],
    ['2026-11-20T12:00Z', '2026-11-20T12:00:00.000Z'],
    ['2026-11-20T12:00:00+00', '2026-11-20T12:00:00.000Z'],
    ['2026-11-20 09:00-03', '2026-11-20T12:00:00.000Z'],
    ['2026-11-20T09:00-0330', '2026-11-20T12:30:00.000Z'],
  ])('like %s is %s', (text, iso) => {
    expect(new Date(readInstantMs(text)!).toISOString()).toBe(iso);
  });

  it.each([
    '2026-11-20',
    '20/11/2026',
    '12:00:00',
    'há 29 minutos',
    '',
    null,
    5,
    '2026-13-40T99:00:00Z',
    '11/20/2026 09:00',
    '2026-02-31T09:00:00Z',
    '31/04/2026 09:00',
    '2026-00-10T09:00:00Z',
  ])('like %p is not an instant', (value) => {
    expect(readInstantMs(value)).toBeUndefined();
  });
});
