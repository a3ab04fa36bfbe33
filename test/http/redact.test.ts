/** The code of an error may be shown, its message never. */
import { describeError } from '../../src/http/index.js';

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
