/** `/readyz` of `tramita codec-server`: only while the access log can be written are payloads decoded. */
import { sql } from 'kysely';
import { hashToken, makeToken } from '../../src/codec-server/index.js';
import { migrate } from '../../src/store/index.js';
import { runCli } from '../../src/cli/program.js';
import { withDatabase } from '../support/database.js';
import { until } from '../support/until.js';

describe('tramita codec-server', () => {
  const database = withDatabase();

  it('is not ready while its database refuses its role', async () => {
    await migrate(database.directUrl, { codecUrl: database.codecUrl });
    let out = '';
    const running = runCli(['codec-server', '--json'], {
      env: {
        TRAMITA_PAYLOAD_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
        TRAMITA_CODEC_TOKENS: `ana:${hashToken(makeToken())}`,
        TRAMITA_CODEC_DATABASE_URL: database.codecUrl,
        TRAMITA_CODEC_LISTEN: '127.0.0.1:0',
        TRAMITA_LOG_LEVEL: 'silent',
      },
      cwd: '/',
      out: (text) => (out += text),
      err: () => undefined,
      isTerminal: false,
    });
    try {
      await until(() => Promise.resolve(out !== '' || undefined), { what: 'the codec server' });
      const { url } = JSON.parse(out) as { readonly url: string };
      const ready = async (): Promise<number> => (await fetch(`${url}/readyz`)).status;
      expect(await ready()).toBe(200);
      await sql`revoke usage on schema tramita from tramita_codec`.execute(database.db);
      expect(await ready()).toBe(503);
      await sql`grant usage on schema tramita to tramita_codec`.execute(database.db);
      await sql`revoke insert on tramita.access_log from tramita_codec`.execute(database.db);
      expect(await ready()).toBe(503);
      await sql`grant insert on tramita.access_log to tramita_codec`.execute(database.db);
      expect(await ready()).toBe(200);
    } finally {
      process.emit('SIGTERM');
      await running;
    }
  });
});
