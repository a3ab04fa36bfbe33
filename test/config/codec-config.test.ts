import { codecProblems, loadCodecConfig } from '../../src/config/index.js';
import { createHash } from 'node:crypto';
import { COMPLETE, PASSWORD, SECRET } from './support.js';

const HASH = createHash('sha256').update('token').digest('hex');
const env = {
  TRAMITA_CODEC_TOKENS: `ana:${HASH}`,
  TRAMITA_CODEC_DATABASE_URL: `postgresql://tramita_codec:${PASSWORD}@db.example.com/tramita`,
};
const oidc = {
  TRAMITA_CODEC_OIDC_ISSUER: 'https://id.example.com/',
  TRAMITA_CODEC_OIDC_AUDIENCE: 'codec',
  TRAMITA_CODEC_OIDC_CLAIM: 'groups=readers',
};
const ready = { hasKeys: true, behindProxy: false };

describe('the settings of the codec server', () => {
  it('do not include the secrets of other programs, which are named as needless', () => {
    const config = loadCodecConfig({ ...COMPLETE, ...env });
    expect(config).toMatchObject({
      listen: { host: '127.0.0.1', port: 8791 },
      origins: [],
      namespaces: [],
      tokens: [{ name: 'ana', sha256: HASH }],
    });
    expect(config.needless).toEqual(expect.arrayContaining(['TRAMITA_API_KEY', 'TRAMITA_DATABASE_URL']));
    expect(JSON.stringify(config)).not.toContain(SECRET);
    expect(codecProblems(config, ready)).toEqual([]);
  });

  it('keep the spelling of an issuer, because tokens repeat it exactly', () => {
    const { issuer, audience, claim } = loadCodecConfig({ ...env, ...oidc }).oidc ?? {};
    expect([issuer, audience, claim]).toEqual([
      'https://id.example.com/',
      'codec',
      { name: 'groups', value: 'readers' },
    ]);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['a token instead of its hash', { TRAMITA_CODEC_TOKENS: 'ana:my-token' }, /CODEC_TOKENS.*entry 1 of another form/],
    [
      'one hash twice',
      { TRAMITA_CODEC_TOKENS: `ana:${HASH},bia:${HASH}` },
      /entry 2 with the hash of an earlier entry/,
    ],
    ['half of OIDC', { TRAMITA_CODEC_OIDC_ISSUER: 'https://id.example.com' }, /OIDC_AUDIENCE.*OIDC_CLAIM: not set/],
    ['a plain issuer', { ...oidc, TRAMITA_CODEC_OIDC_ISSUER: 'http://id.example.com' }, /OIDC_ISSUER.*https/],
    ['a claim without a value', { ...oidc, TRAMITA_CODEC_OIDC_CLAIM: 'groups' }, /OIDC_CLAIM.*seen "groups"/],
    ['an origin with a path', { TRAMITA_CODEC_ORIGINS: 'https://a.example/ui' }, /CODEC_ORIGINS/],
    [
      'a misspelt variable',
      { TRAMITA_CODEC_TOKEN: 'x' },
      /TRAMITA_CODEC_TOKEN is not a variable.*TRAMITA_CODEC_TOKENS/,
    ],
  ])('refuse %s, without repeating the secret', (_title, more, problem) => {
    const load = (): unknown => loadCodecConfig({ ...env, ...more });
    expect(load).toThrow(problem);
    expect(load).not.toThrow(/my-token/);
  });

  it.each<[string, Record<string, string>, Partial<typeof ready>, RegExp]>([
    ['a token or an issuer', { TRAMITA_CODEC_TOKENS: '' }, {}, /anyone could read the flows/],
    ['payload keys', {}, { hasKeys: false }, /TRAMITA_PAYLOAD_KEYS .* is not set/],
    ['its database', { TRAMITA_CODEC_DATABASE_URL: '' }, {}, /tramita_codec, for the access log/],
    [
      'a proxy on an address that other machines reach',
      { TRAMITA_CODEC_LISTEN: '0.0.0.0:8791' },
      {},
      /without TLS; pass --behind-proxy/,
    ],
  ])('say that the server does not start without %s', (_title, more, given, problem) => {
    expect(codecProblems(loadCodecConfig({ ...env, ...more }), { ...ready, ...given })).toEqual([
      expect.stringMatching(problem),
    ]);
  });
});
