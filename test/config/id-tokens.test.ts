import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { canonicalJson } from '../../src/config/canonical-json.js';
import { createTokens } from '../../src/config/index.js';

const KEY = 'k'.repeat(32);

describe('canonicalJson', () => {
  it.each<[unknown, string]>([
    [{ b: 1, a: [3, 1, 2] }, '{"a":[1,2,3],"b":1}'],
    [{ a: undefined, b: null }, '{"b":null}'],
    [[{ y: 1, x: 2 }, 'z', true], '["z",true,{"x":2,"y":1}]'],
    [-0, '0'],
    ['é"\n', '"é\\"\\n"'],
    [{ 10: 'x', 9: 'y' }, '{"10":"x","9":"y"}'],
  ])('writes %j in one way', (value, text) => expect(canonicalJson(value)).toBe(text));

  it.each([[Number.NaN], [Infinity], [undefined], [1n], [() => 1], [[undefined]]])(
    'refuses a value that JSON cannot represent: %p',
    (value) => {
      expect(() => canonicalJson(value)).toThrow(/^tramita: a \w+ cannot be hashed/);
    },
  );

  it('does not change its own output', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
});

describe('tokens', () => {
  const { token } = createTokens(KEY);

  it('are HMAC-SHA-256 over canonical JSON, base64url, cut to 32 characters', () => {
    const full = createHmac('sha256', KEY).update('{"kind":"oab","value":"SP:123456"}').digest('base64url');
    expect(token('oab', 'SP:123456')).toBe(full.slice(0, 32));
    expect(token('oab', 'SP:123456')).toMatch(/^[\w-]{32}$/);
  });

  it('do not depend on the order of lists and members', () => {
    expect(token('notices', { oabs: ['SP:1', 'RJ:2'], since: 'x' })).toBe(
      token('notices', { since: 'x', oabs: ['RJ:2', 'SP:1'] }),
    );
  });

  it('differ by kind, value and key', () => {
    const all = [token('a', 'x'), token('b', 'x'), token('a', 'y'), createTokens('j'.repeat(32)).token('a', 'x')];
    expect(new Set(all).size).toBe(4);
  });

  it('refuse a short key without repeating it', () => {
    expect(() => createTokens('canary')).toThrow(/^tramita: the id key cannot be used: seen a value of 6 characters/);
  });
});
