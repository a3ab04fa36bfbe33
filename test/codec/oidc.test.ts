/** JWTs of an issuer on this machine: what is believed, what is refused, and what happens while the issuer is away. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import { createOidc } from '../../src/codec-server/oidc.js';
import { ask, withCodecWorld } from './support.js';

describe('JWTs of an issuer', () => {
  const world = withCodecWorld();
  const AUDIENCE = 'tramita-codec';
  const claim = { name: 'groups', value: 'temporal-readers' };
  const READER = { sub: 'auth|7', email: 'ana@example.com', groups: ['temporal-readers', 'others'] };

  let server: Server;
  let issuer: string;
  let mine: CryptoKey;
  let foreign: CryptoKey;
  let asked = 0;

  beforeAll(async () => {
    const [own, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
    mine = own.privateKey;
    foreign = other.privateKey;
    const jwk = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
    server = createServer((request, response) => {
      asked += 1;
      const isDiscovery = request.url === '/.well-known/openid-configuration';
      const body = isDiscovery ? { issuer, jwks_uri: `${issuer}/keys` } : { keys: [jwk] };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const sign = (
    payload: JWTPayload,
    {
      key = mine,
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

  it('does not take keys in plain HTTP of an issuer that has HTTPS', async () => {
    const https = 'https://login.example.com';
    const document = { issuer: https, jwks_uri: 'http://login.example.com/keys' };
    const jwk = { ...(await exportJWK((await generateKeyPair('RS256')).publicKey)), kid: 'one' };
    // Somebody on the way may answer the second request. No server here has a certificate that `fetch` trusts.
    const asked = jest
      .spyOn(globalThis, 'fetch')
      .mockImplementation((url) =>
        Promise.resolve(Response.json(url === document.jwks_uri ? { keys: [jwk] } : document)),
      );
    const judge = createOidc({ issuer: https, audience: AUDIENCE, claim });
    expect(await judge(await sign(READER, { iss: https }))).toMatchObject({ kind: 'away' });
    expect(asked.mock.calls.map(([url]) => url)).not.toContain(document.jwks_uri);
    asked.mockRestore();
  });

  it('lets people read whose token has the claim, notes them by e-mail, and asks for the keys once', async () => {
    const codec = await start();
    asked = 0;
    const body = { payloads: [await world.sealed()] };
    for (let times = 0; times < 3; times += 1) {
      const answer = await ask(codec, { headers: { authorization: `Bearer ${await sign(READER)}` }, body });
      expect(answer.status).toBe(200);
    }
    const words = { ...READER, groups: 'openid temporal-readers' };
    expect((await ask(codec, { headers: { authorization: `Bearer ${await sign(words)}` } })).status).toBe(200);
    expect(asked).toBe(2);
    expect(await world.accesses()).toContainEqual(expect.objectContaining({ by_whom: 'ana@example.com', items: 1 }));
  });

  it.each<[string, number, RegExp, () => Promise<string>]>([
    ['without the claim', 403, /lacks the claim/, () => sign({ ...READER, groups: ['others'] })],
    [
      'with a value that only contains it',
      403,
      /lacks the claim/,
      () => sign({ ...READER, groups: 'temporal-readers-not' }),
    ],
    ['of another issuer', 401, /ERR_JWT_CLAIM_VALIDATION_FAILED/, () => sign(READER, { iss: 'http://other' })],
    ['for another audience', 401, /ERR_JWT_CLAIM_VALIDATION_FAILED/, () => sign(READER, { aud: 'other' })],
    ['that is over', 401, /ERR_JWT_EXPIRED/, () => sign(READER, { expires: '-1h' })],
    ['signed by another key', 401, /ERR_JWS_SIGNATURE_VERIFICATION_FAILED/, () => sign(READER, { key: foreign })],
    ['without a subject', 401, /ERR_JWT_CLAIM_VALIDATION_FAILED/, () => sign({ groups: READER.groups })],
    ['without a signature', 401, /ERR_J/, async () => unsigned(await sign(READER))],
  ])('refuses a token %s', async (_title, status, message, make) => {
    const answer = await ask(await start(), { headers: { authorization: `Bearer ${await make()}` } });
    expect([answer.status, answer.json['error']]).toEqual([status, expect.stringMatching(message)]);
    expect(await world.accesses()).toEqual([]);
  });

  it('says nothing about a token while the issuer is away, and does not ask it with every request', async () => {
    const away = 'http://127.0.0.1:9';
    const codec = await world.start({ tokens: [], oidc: { issuer: away, audience: AUDIENCE, claim } });
    const headers = { authorization: `Bearer ${await sign(READER, { iss: away })}` };
    expect(await ask(codec, { headers })).toMatchObject({ status: 503 });
    const again = await ask(codec, { headers });
    expect([again.status, again.json['error']]).toEqual([503, expect.stringContaining('a moment ago')]);
  });
});

function unsigned(token: string): string {
  const [, payload = ''] = token.split('.');
  return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.x`;
}
