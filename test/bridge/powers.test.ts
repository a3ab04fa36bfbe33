/** The privileges of the bridge: exact grants of its database role, no API key, and no code that spends. */
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { sql } from 'kysely';
import { bridgeProblems, resolveConfig, workerProblems } from '../../src/config/index.js';
import { BRIDGE_ROLE } from '../../src/store/index.js';
import { withDatabase } from '../support/database.js';
import { SECRET } from './support.js';

const SRC = resolve(__dirname, '..', '..', 'src');

describe('the database role', () => {
  const database = withDatabase();
  const rowsOf = async <Row>(statement: string): Promise<readonly Row[]> =>
    (await sql.raw<Row>(statement).execute(database.db)).rows;

  /** Tables, views, sequences and their columns, as granted to the role and (`0`) to everybody. */
  const GRANTS = `
    with relation as (select c.* from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'tramita'),
    granted as (
      select relname, '' as column_name, entry.* from relation, aclexplode(relacl) as entry
      union all
      select relname, attname, entry.* from relation join pg_attribute on attrelid = relation.oid, aclexplode(attacl) as entry
    )
    select relname || ' ' || lower(privilege_type) ||
      coalesce(' (' || string_agg(column_name, ', ' order by column_name) filter (where column_name <> '') || ')', '') as grant
    from granted where grantee in (0, '${BRIDGE_ROLE}'::regrole) group by relname, privilege_type order by 1`;

  it('has exactly these grants on all tables, views and sequences of all migrations', async () => {
    expect((await rowsOf<{ grant: string }>(GRANTS)).map(({ grant }) => grant)).toEqual([
      'event insert',
      'event select (account, body_sha256, conflict, event, event_id, event_key, received_at, seq)',
      'event_bytes insert',
      'event_wake insert',
      'event_wake select',
      'event_wake update (tried_at, woken_at)',
      'fingerprint select (account, subject)',
      'migration select',
      'waiter delete',
      'waiter select',
    ]);
  });

  it('has no grant on what a later migration makes', async () => {
    await sql
      .raw(
        `create table tramita.later (id int); create view tramita.later_view as select * from tramita.intent;
        create sequence tramita.later_sequence`,
      )
      .execute(database.db);
    const later = (await rowsOf<{ grant: string }>(GRANTS)).filter(({ grant }) => grant.startsWith('later'));
    const defaults = await rowsOf(`
      select 1 from pg_default_acl, aclexplode(defaclacl) as entry
      where defaclobjtype in ('r', 'S') and entry.grantee in (0, '${BRIDGE_ROLE}'::regrole)`);
    await sql
      .raw('drop view tramita.later_view; drop table tramita.later; drop sequence tramita.later_sequence')
      .execute(database.db);
    expect([later, defaults]).toEqual([[], []]);
  });

  it('is no administrator, owns nothing, belongs to no other role, and finds no security-definer function', async () => {
    expect(
      await rowsOf(`
        select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls from pg_roles
        where rolname = '${BRIDGE_ROLE}'`),
    ).toEqual([
      { rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false, rolbypassrls: false },
    ]);
    expect(await rowsOf(`select 1 from pg_auth_members where member = '${BRIDGE_ROLE}'::regrole`)).toEqual([]);
    expect(await rowsOf(`select 1 from pg_class where relowner = '${BRIDGE_ROLE}'::regrole`)).toEqual([]);
    expect(
      await rowsOf(`
        select 1 from pg_proc join pg_namespace n on n.oid = pronamespace where n.nspname = 'tramita' and prosecdef`),
    ).toEqual([]);
    expect(
      await rowsOf(`
        select has_schema_privilege('${BRIDGE_ROLE}', 'tramita', 'create') as tramita,
          has_database_privilege('${BRIDGE_ROLE}', current_database(), 'create') as database`),
    ).toEqual([{ tramita: false, database: false }]);
  });
});

describe('the bridge configuration', () => {
  const env = {
    TRAMITA_BRIDGE_DATABASE_URL: 'postgres://tramita_bridge:x@127.0.0.1/tramita',
    TRAMITA_WEBHOOK_SECRETS: SECRET,
  };

  it('is complete without API key, ledger database and id key, with which no worker could start', () => {
    const config = resolveConfig({ env });
    expect(bridgeProblems(config)).toEqual([]);
    expect(config.accounts['default']?.apiKey).toBeUndefined();
    expect([config.databaseUrl, config.idKey]).toEqual([undefined, undefined]);
    expect(workerProblems(config).length).toBeGreaterThan(0);
  });

  it('has no API key although the environment names some, and opens no key file', () => {
    const file = '{"accounts":{"default":{},"other":{"apiKeyEnv":"OTHER_KEY"}}}';
    const opened: string[] = [];
    const config = resolveConfig({
      env: { ...env, TRAMITA_API_KEY_FILE: '/secrets/key', OTHER_KEY: 'other-key', TRAMITA_CONFIG: '/settings.json' },
      readFile: (path) => {
        opened.push(path);
        return file;
      },
      overrides: { withoutApiKeys: true },
    });
    expect(JSON.stringify(config)).not.toContain('other-key');
    expect(Object.values(config.accounts).map(({ apiKey }) => apiKey)).toEqual([undefined, undefined]);
    expect(opened).toEqual(['/settings.json']);
  });

  it('is read without API keys by the command', () => {
    const command = readFileSync(join(__dirname, '..', '..', 'src', 'cli', 'commands', 'bridge.ts'), 'utf8');
    expect(command.match(/readConfig\w*\(.*\)/g)).toEqual([
      'readConfigToShow(context, { behindProxy, insecure, withoutApiKeys: true })',
    ]);
  });
});

describe('the bridge code', () => {
  it('imports only six rooms and no HTTP client, and reads no environment', () => {
    const { rooms, packages, texts } = reachableFrom(join(SRC, 'bridge', 'index.ts'));
    expect([...rooms].sort()).toEqual(['bridge', 'contract', 'inbox', 'protocol', 'store', 'wakes']);
    for (const client of ['axios', 'undici', 'node:http', 'node:https', 'node:net', 'node:tls', 'node:child_process']) {
      expect(packages).not.toContain(client);
    }
    for (const [file, text] of texts) {
      expect([file, /\bfetch\(|process\.env/.test(text)]).toEqual([file, false]);
      expect([file, file.startsWith('bridge') && /apiKey|api_key|API_KEY/.test(text)]).toEqual([file, false]);
    }
    // The walk must have read every file of the bridge.
    const own = readdirSync(join(SRC, 'bridge'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    expect([...texts.keys()].filter((file) => file.startsWith('bridge/'))).toHaveLength(own.length);
  });
});

/** Follows relative imports of TypeScript sources. */
function reachableFrom(door: string): { rooms: Set<string>; packages: Set<string>; texts: Map<string, string> } {
  const rooms = new Set<string>();
  const packages = new Set<string>();
  const texts = new Map<string, string>();
  const queue = [door];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    const name = relative(SRC, file);
    if (texts.has(name)) continue;
    const text = readFileSync(file, 'utf8');
    texts.set(name, text);
    rooms.add(name.split('/')[0] ?? '');
    for (const [, isType, target = ''] of text.matchAll(/^(?:import|export) (type )?[^;]*?from '([^']+)';/gm)) {
      // Type imports leave nothing in the compiled program.
      if (isType !== undefined && target.includes('/traces/')) continue;
      if (target.startsWith('.')) queue.push(resolve(file, '..', target.replace(/\.js$/, '.ts')));
      else packages.add(target);
    }
  }
  return { rooms, packages, texts };
}
