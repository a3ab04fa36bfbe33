/** JWTs of an issuer on this machine: which are accepted or refused, and what happens while the issuer is unreachable. */
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import { createOidc } from '../../src/codec-server/oidc.js';
import { sendJson, serve, type Served } from '../../soak/loopback.js';
import { ask, withCodecWorld } from './support.js';

describe('the OIDC check', () => {
  const world = withCodecWorld();
  const AUDIENCE = 'tramita-codec';
  const claim = { name: 'groups', value: 'temporal-readers' };
  const READER = { sub: 'auth|7', email: 'ana@example.com', groups: ['temporal-readers', 'others'] };

  const CPF = '93541134780';
  const HOLDS_CPF = /holds a CPF or CNPJ.*"email"/;

  let server: Served;
  let issuer: string;
  let signingKey: CryptoKey;
  let foreignKey: CryptoKey;
  let requestCount = 0;

  beforeAll(async () => {
    const [own, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
    signingKey = own.privateKey;
    foreignKey = other.privateKey;
    const jwk = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
    server = await serve((request, response) => {
      requestCount += 1;
      const isDiscovery = request.url === '/.well-known/openid-configuration';
      sendJson(response, 200, isDiscovery ? { issuer, jwks_uri: `${issuer}/keys` } : { keys: [jwk] });
    });
    issuer = server.url;
  });
  afterAll(() => server.close());

  const sign = (
    payload: JWTPayload,
    {
      key = signingKey,
      iss = issuer,
      aud = AUDIENCE,
      expires = '5m',
    }: { key?: CryptoKey; iss?: string; aud?: string; expires?: string } = {},
  ): Promise<string> =>
    new SignJWT(payload)
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(iss)
      .setAudience(aud)
      .setIssuedAt()
      .setExpirationTime(expires)
      .sign(key);

  const start = (): ReturnType<typeof world.start> =>
    world.start({ tokens: [], oidc: { issuer, audience: AUDIENCE, claim } });

  it('fetches no keys over plain HTTP for an issuer with HTTPS', async () => {
    const https = 'https://login.example.com';
    const document = { issuer: https, jwks_uri: 'http://login.example.com/keys' };
    const jwk = { ...(await exportJWK((await generateKeyPair('RS256')).publicKey)), kid: 'one' };
    // Anybody on the network path could answer the second request. `fetch` is mocked, because it trusts no certificate here.
    const fetchSpy = jest
      .spyOn(globalThis, 'fetch')
      .mockImplementation((url) =>
        Promise.resolve(Response.json(url === document.jwks_uri ? { keys: [jwk] } : document)),
      );
    const judge = createOidc({ issuer: https, audience: AUDIENCE, claim });
    expect(await judge(await sign(READER, { iss: https }))).toMatchObject({ kind: 'away' });
    expect(fetchSpy.mock.calls.map(([url]) => url)).not.toContain(document.jwks_uri);
    fetchSpy.mockRestore();
  });

  it('accepts tokens with the claim, logs their readers by e-mail, and fetches the keys once', async () => {
    const codec = await start();
    requestCount = 0;
    const body = { payloads: [await world.sealed()] };
    for (let times = 0; times < 3; times += 1) {
      const answer = await ask(codec, { headers: { authorization: `Bearer ${await sign(READER)}` }, body });
      expect(answer.status).toBe(200);
    }
    const spaceSeparated = { ...READER, groups: 'openid temporal-readers' };
    expect((await ask(codec, { headers: { authorization: `Bearer ${await sign(spaceSeparated)}` } })).status).toBe(200);
    expect(requestCount).toBe(2);
    expect(await world.accesses()).toContainEqual(expect.objectContaining({ by_whom: 'ana@example.com', items: 1 }));
  });

  it('logs a reader by the subject if the e-mail holds a CPF', async () => {
    const authorization = `Bearer ${await sign({ ...READER, email: `${CPF}@example.com` })}`;
    const body = { payloads: [await world.sealed()] };
    expect((await ask(await start(), { headers: { authorization }, body })).status).toBe(200);
    expect(await world.accesses()).toEqual([expect.objectContaining({ by_whom: 'auth|7' })]);
  });

  it.each<[string, number, RegExp, () => Promise<string>]>([
    ['without the claim', 403, /lacks the claim/, () => sign({ ...READER, groups: ['others'] })],
    [
      'whose claim only contains the value',
      403,
      /lacks the claim/,
      () => sign({ ...READER, groups: 'temporal-readers-not' }),
    ],
    ['of another issuer', 401, /ERR_JWT_CLAIM_VALIDATION_FAILED/, () => sign(READER, { iss: 'http://other' })],
    ['for another audience', 401, /ERR_JWT_CLAIM_VALIDATION_FAILED/, () => sign(READER, { aud: 'other' })],
    ['that has expired', 401, /ERR_JWT_EXPIRED/, () => sign(READER, { expires: '-1h' })],
    ['signed by another key', 401, /ERR_JWS_SIGNATURE_VERIFICATION_FAILED/, () => sign(READER, { key: foreignKey })],
    ['without a subject', 401, /ERR_JWT_CLAIM_VALIDATION_FAILED/, () => sign({ groups: READER.groups })],
    ['whose only name is a CPF', 401, HOLDS_CPF, () => sign({ ...READER, email: undefined, sub: CPF })],
    [
      'whose e-mail and subject hold a CPF',
      401,
      HOLDS_CPF,
      () => sign({ ...READER, sub: `cpf:${CPF}`, email: `${CPF}@example.com` }),
    ],
    ['without the claim whose only name is a CPF', 401, HOLDS_CPF, () => sign({ sub: CPF })],
    ['without a signature', 401, /ERR_J/, async () => unsigned(await sign(READER))],
  ])('refuses a token %s', async (_title, status, message, make) => {
    const answer = await ask(await start(), { headers: { authorization: `Bearer ${await make()}` } });
    expect([answer.status, answer.json['error']]).toEqual([status, expect.stringMatching(message)]);
    expect(JSON.stringify([answer.json, world.log])).not.toContain(CPF);
    expect(await world.accesses()).toEqual([]);
  });

  it('logs nobody in with a token that does not fit into a cookie, which the browser would drop', async () => {
    const codec = await start();
    const body = new URLSearchParams({ token: await sign({ ...READER, note: 'x'.repeat(4_000) }) });
    const login = await fetch(`${codec.url}/login`, { method: 'POST', body, headers: { origin: codec.url } });
    expect([login.status, login.headers.get('set-cookie')]).toEqual([413, null]);
    expect(await login.text()).toContain('too long for a cookie');
  });

  it('answers 503 while the issuer is unreachable, and does not ask it again for every request', async () => {
    const unreachable = 'http://127.0.0.1:9';
    const codec = await world.start({ tokens: [], oidc: { issuer: unreachable, audience: AUDIENCE, claim } });
    const headers = { authorization: `Bearer ${await sign(READER, { iss: unreachable })}` };
    expect(await ask(codec, { headers })).toMatchObject({ status: 503 });
    const again = await ask(codec, { headers });
    expect([again.status, again.json['error']]).toEqual([503, expect.stringContaining('a moment ago')]);
    const body = new URLSearchParams({ token: await sign(READER, { iss: unreachable }) });
    const login = await fetch(`${codec.url}/login`, { method: 'POST', body, headers: { origin: codec.url } });
    expect([login.status, await login.text()]).toEqual([
      503,
      expect.stringContaining('issuer of tokens does not answer'),
    ]);
  });
});

function unsigned(token: string): string {
  const [, payload = ''] = token.split('.');
  return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.x`;
}
