/** The codec server as UI and command line use it: what it decodes, for whom, and what the access log records before. */
import { sql } from 'kysely';
import { CODEC_ROLE } from '../../src/store/index.js';
import { until } from '../support/until.js';
import { ask, keysOf, TEXT, TOKEN, UI, withCodecWorld } from './support.js';

const world = withCodecWorld();
const plain = { metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: 'NDI=' };

const textsOf = (json: Record<string, unknown>): string[] =>
  (json['payloads'] as { data: string }[]).map(({ data }) => Buffer.from(data, 'base64').toString());

describe('/decode', () => {
  it('decrypts payloads of the namespace, leaves others unchanged, and logs who read how many', async () => {
    const server = await world.start();
    const payloads = [await world.sealed(), plain, await world.sealed('default', keysOf('k9'))];
    const { status, json } = await ask(server, { body: { payloads } });
    expect(status).toBe(200);
    expect(textsOf(json).slice(0, 2)).toEqual([TEXT, '42']);
    expect((json['payloads'] as object[])[2]).toEqual(payloads[2]);
    expect(await world.accesses()).toEqual([
      { by_whom: 'ana', via: 'codec-server decode', namespace: 'default', items: 1 },
    ]);
    expect(world.log).toContainEqual({
      level: 'warn',
      message: 'encrypted payloads not decoded',
      fields: { who: 'ana', namespace: 'default', reason: 'unknown key (key "k9")', items: 1 },
    });
    expect(JSON.stringify(world.log)).not.toContain('Maria');
  });

  it('returns no payload when the access log cannot be written', async () => {
    const server = await world.start({ recordAccess: () => Promise.reject(new Error('Maria')) });
    const { status, json } = await ask(server, { body: { payloads: [await world.sealed()] } });
    expect([status, Object.keys(json)]).toEqual([503, ['error']]);
    expect(json['error']).toMatch(/^tramita: the access log cannot be written/);
    expect(JSON.stringify([json, world.log])).not.toContain('Maria');
  });

  it('refuses pages of other origins and allows its own UI', async () => {
    const server = await world.start();
    const refused = await ask(server, { headers: { origin: 'http://evil.example' } });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    const preflight = (origin: string): Promise<Response> =>
      fetch(`${server.url}/decode`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,x-namespace,authorization',
        },
      });
    const { headers } = await preflight(UI);
    expect(headers.get('access-control-allow-origin')).toBe(UI);
    expect(headers.get('access-control-allow-credentials')).toBe('true');
    expect(headers.get('access-control-allow-headers')).toContain('x-namespace');
    expect((await preflight('http://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
    const allowed = await ask(server, { headers: { origin: UI } });
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, UI]);
    expect(allowed.headers.get('cache-control')).toBe('no-store');
  });

  it.each<[string, number, Parameters<typeof ask>[1], RegExp]>([
    ['no token', 401, { headers: { authorization: undefined } }, /no valid token \(no token\)/],
    ['a wrong token', 401, { headers: { authorization: `Bearer ${TOKEN}x` } }, /\(unknown token\)/],
    ['a token under another scheme', 401, { headers: { authorization: `Basic ${TOKEN}` } }, /no valid token/],
    ['the hash instead of the token', 401, { headers: { authorization: 'Bearer ' + 'a'.repeat(64) } }, /unknown token/],
    ['no namespace', 400, { headers: { 'x-namespace': undefined } }, /X-Namespace is missing/],
    ['a namespace that is not served', 403, { headers: { 'x-namespace': 'other' } }, /namespace is not served/],
    ['a body that is not JSON', 400, { body: '{' }, /the body is not JSON/],
    ['a body of another shape', 400, { body: { payloads: [{ data: 'ä' }] } }, /the wrong form/],
    ['a body that is too large', 413, { body: 'x'.repeat(8 * 1_048_576 + 1) }, /more than 8388608 bytes/],
    ['another content type', 415, { headers: { 'content-type': 'text/plain' } }, /expected application\/json/],
    ['/encode, which is off', 404, { path: '/encode' }, /expected \/decode/],
  ])('refuses %s with %i, and logs it', async (_title, status, given, message) => {
    const server = await world.start();
    const answer = await ask(server, given);
    expect([answer.status, answer.json]).toEqual([status, { error: expect.stringMatching(message) as string }]);
    expect(world.log).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'refused',
        fields: expect.objectContaining({ status }) as object,
      }),
    );
    expect(JSON.stringify(world.log)).not.toContain(TOKEN);
    expect(await world.accesses()).toEqual([]);
  });

  it('refuses a payload of another namespace than the header names, although the caller may read both', async () => {
    const server = await world.start({ namespaces: ['default', 'other'] });
    const body = { payloads: [await world.sealed('other')] };
    expect((await ask(server, { body })).status).toBe(403);
    expect((await ask(server, { body, headers: { 'x-namespace': 'other' } })).status).toBe(200);
    expect((await ask(server, { body, headers: { 'x-namespace': 'oth' } })).status).toBe(403);
  });

  it('does not decrypt a payload that claims another namespace than it was written for', async () => {
    const server = await world.start();
    const sealed = (await world.sealed('other')) as { metadata: Record<string, string> };
    sealed.metadata['encryption-context'] = Buffer.from('default/flow/1').toString('base64');
    const { json } = await ask(server, { body: { payloads: [sealed] } });
    expect(json['payloads']).toEqual([sealed]);
    expect(await world.accesses()).toEqual([expect.objectContaining({ items: 0 })]);
  });
});

describe('/encode', () => {
  it('encrypts a payload of the UI with the newest key, and /decode decrypts it', async () => {
    const server = await world.start({ encode: true });
    const { json } = await ask(server, { path: '/encode', body: { payloads: [plain] } });
    const [sealed] = json['payloads'] as { metadata: Record<string, string> }[];
    expect(Buffer.from(sealed?.metadata['encryption-key-id'] ?? '', 'base64').toString()).toBe('k1');
    expect(textsOf((await ask(server, { body: json })).json)).toEqual(['42']);
  });
});

describe('the login page', () => {
  const login = (url: string, token: string, origin = url): Promise<Response> =>
    fetch(`${url}/login`, { method: 'POST', body: new URLSearchParams({ token }), headers: { origin } });

  it('puts an accepted token into a cookie for /decode alone, which then decodes', async () => {
    const { url, ...server } = await world.start({ secureCookie: true });
    const answer = await login(url, TOKEN);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect([answer.status, cookie]).toEqual([
      200,
      expect.stringMatching(/^tramita_codec=[\w-]+; Path=\/decode; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/),
    ]);
    const headers = { authorization: undefined, cookie: `other=1; ${cookie.split(';')[0] ?? ''}`, origin: UI };
    const { json } = await ask({ url, ...server }, { headers, body: { payloads: [await world.sealed()] } });
    expect(textsOf(json)).toEqual([TEXT]);
    const out = await fetch(`${url}/logout`, { method: 'POST' });
    expect(out.headers.get('set-cookie')).toMatch(/^tramita_codec=; .*Max-Age=0/);
  });

  it('refuses and logs a wrong token, and a right token posted from another origin', async () => {
    const { url } = await world.start();
    for (const answer of [await login(url, 'wrong'), await login(url, TOKEN, 'http://evil.example')]) {
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null]);
    }
    expect(world.log.filter(({ message }) => message === 'login refused')).toHaveLength(2);
    expect((await fetch(`${url}/login`)).headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
});

describe('the readiness check', () => {
  it('succeeds only while the database answers', async () => {
    const server = await world.start();
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    // It gives the database two seconds: a machine that pauses may need another try.
    await until(async () => (await fetch(`${server.url}/readyz`)).status === 200);
    const broken = await world.start({ checkDatabase: () => Promise.reject(new Error('away')) });
    expect((await fetch(`${broken.url}/readyz`)).status).toBe(503);
  });
});

describe('the database role', () => {
  it('may write the access log and read only the table of migrations', async () => {
    const { rows } = await sql<{ grant: string }>`
      select relname || ' ' || lower(privilege) as grant
      from pg_class c join pg_namespace n on n.oid = relnamespace,
        unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER', 'REFERENCES']) as privilege
      where nspname = 'tramita' and relkind in ('r', 'p', 'v')
        and (has_table_privilege(${CODEC_ROLE}, c.oid, privilege)
          or privilege in ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
            and has_any_column_privilege(${CODEC_ROLE}, c.oid, privilege))
      order by 1`.execute(world.db);
    expect(rows.map(({ grant }) => grant)).toEqual(['access_log insert', 'migration select']);
    await expect(sql`select * from tramita.access_log`.execute(world.db)).rejects.toThrow('permission denied');
    await expect(sql`create table tramita.mine (id int)`.execute(world.db)).rejects.toThrow('permission denied');
  });
});
