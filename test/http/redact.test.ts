/** The code of an error may be shown, its message never; and no answer keeps the API key. */
import { describeError } from '../../src/http/index.js';
import { withoutKey } from '../../src/http/redact.js';

test.each([
  [Object.assign(new Error('secret'), { code: 'ECONNRESET' }), 'ECONNRESET'],
  [new Error('secret', { cause: { code: 'ENOTFOUND' } }), 'ENOTFOUND'],
  [Object.assign(new AggregateError([{ code: 'ECONNREFUSED' }], 'secret')), 'ECONNREFUSED'],
  [Object.assign(new Error('secret'), { code: 'https://a.example/?sig=secret' }), 'connection failed'],
  [Object.assign(new Error('secret'), { code: 7 }), 'connection failed'],
  [new Error('secret'), 'connection failed'],
  ['secret', 'connection failed'],
  [undefined, 'connection failed'],
])('describeError never shows the message of an error (case %#)', (error, expected) => {
  expect(describeError(error)).toBe(expected);
});

const KEY = 'sk+ab/cd"ef\\gh==';
const IN_JSON = JSON.stringify(KEY).slice(1, -1);

test.each([
  KEY,
  IN_JSON,
  IN_JSON.replaceAll('/', '\\/'),
  IN_JSON.replaceAll('+', '\\u002B').replaceAll('=', '\\u003d'),
  IN_JSON.replaceAll('\\"', '\\u0022').replaceAll('/', '\\u002F'),
])('withoutKey removes the key in the spelling %s', (spelling) => {
  expect(withoutKey(Buffer.from(`{"seen":"${spelling}"}`), KEY).toString()).toBe('{"seen":"[API key]"}');
});

test('withoutKey leaves an answer without the key as it is', () => {
  const body = Buffer.from(JSON.stringify({ seen: KEY.slice(1), ação: true }));
  expect(withoutKey(body, KEY)).toEqual(body);
});
