/** JSON is read as by JSON.parse, except that integers too large for a float become text. */
import fc from 'fast-check';
import { parseStrictJson } from '../../src/http/index.js';

const read = (text: string) => parseStrictJson(Buffer.from(text));
const hasOwnProto = (value: unknown): boolean => JSON.stringify(value).includes('__proto__');
const hasBigInteger = (value: unknown): boolean => /(?<![\d.])-?\d{16,}(?![\d.eE])/.test(JSON.stringify(value));

test.each([
  ['0.8333333333333334', 0.8333333333333334],
  ['0.30000000000000004', 0.30000000000000004],
  ['-0.1000000000000000055', -0.1],
  ['1.7976931348623157e308', 1.7976931348623157e308],
  ['5e-324', 5e-324],
  ['12345678.1234567890123456', 12345678.123456789],
  ['1234567890123456.5', 1234567890123456.5],
  ['1234567890123456e2', 1234567890123456e2],
  ['123456789012345', 123456789012345],
])('the number %s stays a number', (text, value) => {
  expect(read(`{"score":${text}}`)).toEqual({ ok: true, value: { score: value } });
});

test.each(['12345678901234567890', '-9007199254740993'])('the large integer %s keeps its digits as text', (digits) => {
  expect(read(`{"id":${digits},"ids":[${digits},1.5]}`)).toEqual({
    ok: true,
    value: { id: digits, ids: [digits, 1.5] },
  });
});

test.each([
  '{"a":01234567890123456789}',
  '{"a":1234567890123456789.}',
  '{"a":.1234567890123456}',
  '{a:12345678901234567}',
])('invalid JSON is refused: %s', (text) => {
  expect(read(text)).toMatchObject({ ok: false });
});

test.each([
  ['plain', 'x'.repeat(9_000_000)],
  ['escaped', '\\n'.repeat(9_000_000)],
])('a string of megabytes beside a large integer is read: %s', (_kind, text) => {
  expect(read(`{"text":"${text}","case": 00012345678901234567}`)).toMatchObject({ ok: false });
  expect(read(`{"id":12345678901234567890,"text":"${text} 12345678901234567890"}`)).toEqual({
    ok: true,
    value: { id: '12345678901234567890', text: JSON.parse(`"${text} 12345678901234567890"`) as string },
  });
});

test.each([
  '"',
  '"\\',
  '"\\"',
  '{"a":12345678901234567890',
  '{"a":12345678901234567890"}',
  '-',
  '[-,12345678901234567]',
])('JSON that ends too early is refused: %s', (text) => {
  expect(read(`${text} 1234567890123456`)).toMatchObject({ ok: false });
});

test('any JSON without large integers is read as by JSON.parse', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(!hasOwnProto(value) && !hasBigInteger(value));
      expect(read(JSON.stringify(value))).toEqual({ ok: true, value: JSON.parse(JSON.stringify(value)) as unknown });
    }),
  );
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      fc.pre(!Number.isInteger(value));
      expect(read(JSON.stringify([value]))).toEqual({ ok: true, value: [value] });
    }),
  );
});
