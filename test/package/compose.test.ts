/**
 * `docker-compose.yml` and `Dockerfile`, read as data: valid by the schema of Compose, and within our own rules. Nothing is
 * started here, and Docker is not needed.
 */
import Ajv from 'ajv';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { VARIABLES } from '../../src/config/env-names.js';
import { loadCodecConfig, resolveConfig } from '../../src/config/index.js';
import { CHARGED_GRACE_MS } from '../../src/contract/values/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const REPOSITORY = join(__dirname, '..', '..');
const read = (...path: string[]): string => readFileSync(join(REPOSITORY, ...path), 'utf8');

interface Service {
  readonly image: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly configs?: readonly { readonly source: string; readonly target: string }[];
  readonly volumes?: readonly string[];
  readonly env_file?: readonly { readonly path: string; readonly required: boolean }[];
  readonly logging?: unknown;
  readonly deploy?: { readonly resources: { readonly limits: Readonly<Record<string, unknown>> } };
  readonly entrypoint?: readonly string[];
  readonly ports?: readonly string[];
  readonly command?: readonly string[];
  readonly network_mode?: string;
  readonly profiles?: readonly string[];
  readonly stop_grace_period?: string;
  readonly healthcheck?: unknown;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

const text = read('docker-compose.yml');
const compose = parse(text, { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file?: string }>>;
};
const { services } = compose;
const service = (name: string): Service => {
  const found = services[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
};
const OURS = ['migrate', 'worker', 'worker-2', 'bridge', 'codec-server', 'sandbox'];
const WORKERS = ['worker', 'worker-2'];
/** Services that end by themselves. */
const ONE_SHOT = ['migrate', 'temporal-schema', 'temporal-namespace', 'restore'];
/** Services that run only with the profile named here. */
const PROFILES = {
  sandbox: 'sandbox',
  prometheus: 'dashboards',
  grafana: 'dashboards',
  backup: 'backup',
  restore: 'restore',
};
const SETTINGS = '.tramita/tramita.env';
const CONFIG_PATH = '/etc/tramita/tramita.json';
/** Optional secrets, for a user's own file beside docker-compose.yml. */
const optional = parse(read('deploy', 'compose', 'optional.yml'), { merge: true }) as typeof compose;

describe('docker-compose.yml', () => {
  const { $schema: _, ...schema } = JSON.parse(read('test', 'package', 'compose-schema', 'compose-spec.json')) as {
    $schema: string;
  };
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
  const problemsOf = (file: object) => (validate(file) ? null : validate.errors);

  it('is valid by the schema of the Compose Specification', () => {
    expect(problemsOf(compose)).toBeNull();
    expect(problemsOf({ services: { worker: { image: 'x', stop_grace: '90s' } } })).not.toBeNull();
  });

  it('stays valid together with the file of optional secrets', () => {
    const merged = {
      ...compose,
      secrets: { ...compose.secrets, ...optional.secrets },
      services: Object.fromEntries(
        Object.entries(services).map(([name, each]) => [name, { ...each, ...optional.services[name] }]),
      ),
    };
    expect(problemsOf(merged)).toBeNull();
    expect(Object.keys(optional.services).filter((name) => services[name] === undefined)).toEqual([]);
    for (const { environment = {}, secrets = [] } of Object.values(optional.services)) {
      const files = Object.values(environment).map((path) => path.replace('/run/secrets/', ''));
      expect(files).toEqual([...secrets]);
      for (const name of secrets) {
        expect(optional.secrets[name]).toEqual({ file: `./.tramita/secrets/${name}` });
        expect(compose.secrets[name]).toBeUndefined();
      }
    }
  });

  it('has the whole stack, with optional services in profiles', () => {
    expect(Object.keys(services)).toEqual(
      expect.arrayContaining(['postgresql', 'temporal', 'temporal-ui', ...OURS, ...Object.keys(PROFILES)]),
    );
    const onDemand = Object.entries(services).flatMap(([name, { profiles }]) =>
      profiles === undefined ? [] : [[name, profiles.join()]],
    );
    expect(Object.fromEntries(onDemand)).toEqual(PROFILES);
  });

  it('lets every setting in: plain variables by one env file, secrets as files, and the JSON file', () => {
    for (const name of OURS) {
      expect(service(name).env_file).toEqual([{ path: SETTINGS, required: false }]);
      expect(service(name).configs).toEqual([{ source: 'settings', target: CONFIG_PATH }]);
    }
    for (const name of [...WORKERS, 'bridge'])
      expect(service(name).environment).toMatchObject({ TRAMITA_CONFIG: CONFIG_PATH });
    const everywhere = [...Object.values(services), ...Object.values(optional.services)];
    const set = new Set(everywhere.flatMap(({ environment = {} }) => Object.keys(environment)));
    const secrets = VARIABLES.filter(({ secret }) => secret).map(({ name }) => `${name}_FILE`);
    expect(secrets.filter((name) => !set.has(name))).toEqual([]);
    // `environment` wins over the env file of settings, so users cannot set these.
    const wired = [...set].filter((name) => name.startsWith('TRAMITA_') && !name.endsWith('_FILE'));
    expect(wired.sort()).toEqual([
      ...['TRAMITA_BRIDGE_LISTEN', 'TRAMITA_BRIDGE_OPS_LISTEN', 'TRAMITA_CODEC_LISTEN', 'TRAMITA_CODEC_ORIGINS'],
      ...['TRAMITA_CONFIG', 'TRAMITA_FILES', 'TRAMITA_WORKER_OPS_LISTEN'],
    ]);
  });

  it('gives each worker its own volume, and all workers one volume for bought files', () => {
    const volumes = WORKERS.map((name) => service(name).volumes ?? []);
    expect(new Set(volumes.map(([own]) => own)).size).toBe(WORKERS.length);
    expect(new Set(volumes.map(([, shared]) => shared)).size).toBe(1);
    for (const [own = '', shared = ''] of volumes) {
      expect(own).toMatch(/^files(-\d)?:\/var\/lib\/tramita$/);
      expect(shared.split(':')[1]).toBe(service('worker').environment?.['TRAMITA_FILES']);
      expect(read('Dockerfile')).toContain(`mkdir --mode=0700 /var/lib/tramita ${shared.split(':')[1] ?? '-'}`);
    }
    const different = { volumes: 0 };
    expect({ ...service('worker-2'), ...different }).toEqual({ ...service('worker'), ...different });
  });

  it('lets Prometheus scrape workers and bridge inside the network, and nobody outside', () => {
    const { scrape_configs: jobs } = parse(read('observability', 'prometheus.yml')) as {
      readonly scrape_configs: readonly { readonly job_name: string; readonly static_configs?: unknown }[];
    };
    // Static names: when Docker no longer resolves a name, Prometheus reports its target as down instead of dropping it.
    expect(jobs).toEqual([
      { job_name: 'tramita-worker', static_configs: [{ targets: WORKERS.map((name) => `${name}:8787`) }] },
      { job_name: 'tramita-bridge', static_configs: [{ targets: ['bridge:8789'] }] },
    ]);
    expect(service('worker').environment).toMatchObject({ TRAMITA_WORKER_OPS_LISTEN: '0.0.0.0:8787' });
    expect(service('bridge').environment).toMatchObject({ TRAMITA_BRIDGE_OPS_LISTEN: '0.0.0.0:8789' });
    const ports = Object.values(services).flatMap((each) => each.ports ?? []);
    expect(ports.filter((port) => /:878[79]$/.test(port))).toEqual([]);
  });

  // Dashboards and rules have a folder of their own.
  (existsSync(join(REPOSITORY, 'observability')) ? it : it.skip)('mounts only files and folders that exist', () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.map((each) => each.split(':')[0] ?? ''),
    );
    const paths = mounted.filter((path) => path.startsWith('./'));
    expect(paths.length).toBe(4);
    expect(paths.filter((path) => !existsSync(join(REPOSITORY, path)))).toEqual([]);
  });

  it('limits CPU, memory, processes and logs of every service', () => {
    for (const each of Object.values(services)) {
      expect(Object.keys(each.deploy?.resources.limits ?? {}).sort()).toEqual(['cpus', 'memory', 'pids']);
      expect(each.logging).toEqual({ driver: 'json-file', options: { 'max-size': '20m', 'max-file': '5' } });
    }
  });

  it('gives the worker longer to stop than it waits for a charged call', () => {
    expect(seconds(service('worker').stop_grace_period) * 1_000).toBeGreaterThan(CHARGED_GRACE_MS);
  });

  it('gives the bridge no API key, and no database role but its own', () => {
    const { environment = {}, secrets } = service('bridge');
    expect(Object.keys(environment).filter((name) => /API_KEY|API_URL|ID_KEY|TRAMITA_DATABASE_URL/.test(name))).toEqual(
      [],
    );
    expect(secrets).toEqual(['bridge_database_url', 'webhook_secrets', 'payload_keys']);
  });

  it('gives the codec server only its database role, tokens and payload keys, and admits the Temporal UI', () => {
    const { environment = {}, secrets } = service('codec-server');
    expect(secrets).toEqual(['codec_database_url', 'codec_tokens', 'payload_keys']);
    const config = loadCodecConfig(
      Object.fromEntries(Object.entries(environment).filter(([name]) => !name.endsWith('_FILE'))),
    );
    expect(config).toMatchObject({ listen: { port: 8791 }, origins: ['http://127.0.0.1:8080'] });
    expect(service('temporal-ui').ports).toEqual(['127.0.0.1:8080:8080']);
    expect(service('temporal-ui').environment).toMatchObject({ TEMPORAL_CODEC_ENDPOINT: 'http://127.0.0.1:8791' });
  });

  it('sets only variables that the configuration knows', () => {
    const known = new Set(VARIABLES.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])));
    const set = OURS.flatMap((name) => Object.keys(service(name).environment ?? {}));
    expect(set.filter((name) => !known.has(name) && name !== 'TEMPORAL_ADDRESS')).toEqual([]);
    expect(set.length).toBeGreaterThan(10);
  });

  it.each(['worker', 'bridge', 'migrate'])('sets values for %s that the configuration accepts', (name) => {
    const env = { TRAMITA_API_URL: 'https://api.example.com', ...service(name).environment };
    const secret: Readonly<Record<string, string>> = {
      [CONFIG_PATH]: '{}',
      '/run/secrets/api_key': 'a-key',
      '/run/secrets/id_key': 'k'.repeat(64),
      '/run/secrets/webhook_secrets': 's'.repeat(64),
    };
    const readFile = (path: string): string => secret[path] ?? 'postgresql://user:password@postgresql:5432/tramita';
    expect(() => resolveConfig({ env, readFile })).not.toThrow();
  });

  it('reaches the sandbox over loopback, the only place where plain http is accepted', () => {
    expect(service('sandbox').network_mode).toBe('service:worker');
    const env = (url: string) => ({ env: { TRAMITA_API_URL: url } });
    expect(() => resolveConfig(env('http://127.0.0.1:8790'))).not.toThrow();
    expect(() => resolveConfig(env('http://sandbox:8790'))).toThrow('http only for a loopback host');
  });

  it('publishes ports on loopback only', () => {
    const ports = Object.values(services).flatMap((each) => each.ports ?? []);
    expect(ports.length).toBeGreaterThan(0);
    expect(ports.filter((port) => !/^127\.0\.0\.1:\d+:\d+$/.test(port))).toEqual([]);
  });

  it('contains no secret: each one is a file that git ignores', () => {
    expect(
      Object.values(compose.secrets).filter(({ file }) => file?.startsWith('./.tramita/secrets/') !== true),
    ).toEqual([]);
    const values = Object.values(services).flatMap(({ environment = {} }) => Object.entries(environment));
    const open = values.filter(
      ([name, value]) => /PASS|PWD|SECRET|TOKEN|KEY|DATABASE_URL/.test(name) && !value.startsWith('/run/secrets/'),
    );
    expect(open).toEqual([]);
    expect(read('.gitignore')).toMatch(/^\.tramita\/$/m);
  });

  it('mounts every secret that it names, and declares every one that it mounts', () => {
    const mounted = new Set(Object.values(services).flatMap(({ secrets = [] }) => secrets));
    expect([...mounted].sort()).toEqual(Object.keys(compose.secrets).sort());
    for (const { environment = {}, command = [], secrets = [] } of Object.values(services)) {
      const used = JSON.stringify([environment, command]).matchAll(/\/run\/secrets\/(\w+)/g);
      for (const [, name] of used) expect(secrets).toContain(name);
    }
  });

  it('runs our programs read-only and as a numeric user that is not root, as the image does', () => {
    const user = /^USER (\S+)$/m.exec(read('Dockerfile'))?.[1];
    expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    for (const name of OURS) expect(service(name)).toMatchObject({ read_only: true, user, cap_drop: ['ALL'] });
  });

  it('checks the health of everything that stays up, except the UI that nothing waits for', () => {
    const unchecked = Object.keys(services).filter(
      (name) => !ONE_SHOT.includes(name) && service(name).healthcheck === undefined,
    );
    expect(unchecked).toEqual(['temporal-ui']);
    const conditions = Object.values(services).flatMap(({ depends_on: waits = {} }) => Object.entries(waits));
    const wrong = conditions.filter(
      ([name, { condition }]) =>
        condition !== (ONE_SHOT.includes(name) ? 'service_completed_successfully' : 'service_healthy'),
    );
    expect(wrong).toEqual([]);
  });

  it('pins every image', () => {
    const foreign = Object.values(services).flatMap(({ image }) => (image === 'tramita:local' ? [] : image));
    expect(foreign.filter((image) => !/:v?\d+\.\d+(\.\d+)?(-\w+)?$/.test(image))).toEqual([]);
  });
});

/** `pg_dump` fails or hangs here, as on a full disk or a lock. Its partial files must not stay and fill the volume. */
describe('backup.sh', () => {
  const SCRIPT = join(REPOSITORY, 'deploy', 'compose', 'backup.sh');
  let folder: string;
  let env: Record<string, string>;
  const program = (name: string, body: string): void =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o700 });
  const dumps = (): string[] => readdirSync(folder).filter((name) => name.startsWith('tramita-'));
  const FAILS =
    'for each; do case "$each" in --file=*) echo half > "${each#--file=}" ;; esac; done; echo >> "$BACKUP_DIR/tries"';

  beforeEach(() => {
    folder = temporaryFolder('backup');
    writeFileSync(join(folder, 'url'), 'postgresql://nowhere/none');
    program('pg_restore', 'exit 0');
    env = {
      PATH: `${folder}:${process.env['PATH'] ?? ''}`,
      BACKUP_DIR: folder,
      DATABASE_URL_FILE: join(folder, 'url'),
      BACKUP_KEEP_DAYS: '35',
      BACKUP_EVERY_SECONDS: '86400',
    };
  });

  it('removes the partial file of a failed dump, and later that of a killed one', () => {
    const killed = join(folder, 'tramita-20260101T000000Z.dump.part');
    const running = join(folder, 'tramita-20260102T000000Z.dump.part');
    for (const name of [killed, running]) writeFileSync(name, 'half');
    const twoHoursAgo = new Date(Date.now() - 7_200_000);
    utimesSync(killed, twoHoursAgo, twoHoursAgo);
    program('pg_dump', `${FAILS}; exit 1`);
    expect(spawnSync('sh', [SCRIPT, '--once'], { env }).status).toBe(1);
    expect(dumps()).toEqual(['tramita-20260102T000000Z.dump.part']);
    program('pg_dump', FAILS);
    expect(spawnSync('sh', [SCRIPT, '--once'], { env }).status).toBe(0);
    expect(dumps().filter((name) => name.endsWith('.dump'))).toHaveLength(1);
  });

  it.each([
    ['between two tries', `${FAILS}; exit 1`, 0],
    ['during a dump', `${FAILS}; exec sleep 600`, 1],
  ])('ends at once on SIGTERM %s, without another try and without partial files', async (_title, dump, parts) => {
    program('pg_dump', dump);
    const child = spawn('sh', [SCRIPT], { env, stdio: 'ignore' });
    try {
      const ended = new Promise((resolve) => child.once('close', resolve));
      await until(() => existsSync(join(folder, 'tries')), { what: 'the first try' });
      await until(() => dumps().length === parts, { what: 'its part' });
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
      expect(dumps()).toEqual([]);
      expect(readFileSync(join(folder, 'tries'), 'utf8')).toBe('\n');
    } finally {
      child.kill('SIGKILL');
    }
  });
});

describe('Dockerfile', () => {
  const dockerfile = read('Dockerfile');

  it('builds on a pinned Debian with a Node that the package accepts', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases.length).toBe(2);
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:(2[2-9]|[3-9]\d)\.\d+\.\d+-bookworm-slim$/);
  });

  it('copies the schemas that `tramita schema` prints, beside package.json', () => {
    expect(dockerfile.split(/^FROM /m).at(-1)).toMatch(/^COPY schemas schemas$/m);
  });

  it('starts the command of package.json, and copies exactly the files of the build context', () => {
    const { bin } = JSON.parse(read('package.json')) as { bin: { tramita: string } };
    expect(dockerfile).toContain(`ENTRYPOINT ["node", "/app/${bin.tramita.replace('./', '')}"]`);
    const context = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, names]) => names?.split(' ') ?? [],
    );
    expect(copied.sort()).toEqual(context.sort());
  });
});

function seconds(duration: string | undefined): number {
  return Number(/^(\d+)s$/.exec(duration ?? '')?.[1]);
}
