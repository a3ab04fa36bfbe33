/**
 * `docker-compose.yml` and `Dockerfile`, read as data: valid by the schema of Compose, and true to our own rules. Nothing is
 * started here, and Docker is not needed.
 */
import Ajv from 'ajv';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadCodecConfig, resolveConfig, VARIABLES } from '../../src/config/index.js';
import { CHARGED_GRACE_MS } from '../../src/contract/values/index.js';

const REPOSITORY = join(__dirname, '..', '..');
const read = (...path: string[]): string => readFileSync(join(REPOSITORY, ...path), 'utf8');

interface Service {
  readonly image: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
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
const OURS = ['migrate', 'worker', 'bridge', 'codec-server', 'sandbox'];
/** They end by themselves. */
const ONE_SHOT = ['migrate', 'temporal-schema', 'temporal-namespace'];

describe('docker-compose.yml', () => {
  it('is valid by the schema of the Compose Specification', () => {
    const { $schema: _, ...schema } = JSON.parse(read('test', 'package', 'compose-schema', 'compose-spec.json')) as {
      $schema: string;
    };
    const ajv = new Ajv({ strict: false, allErrors: true });
    const validate = ajv.compile(schema);
    validate(compose);
    expect(validate.errors).toBeNull();
    expect(validate({ services: { worker: { image: 'x', stop_grace: '90s' } } })).toBe(false);
  });

  it('has the whole stack, and the sandbox only on demand', () => {
    expect(Object.keys(services)).toEqual(
      expect.arrayContaining(['postgresql', 'temporal', 'temporal-ui', 'migrate', 'worker', 'bridge', 'sandbox']),
    );
    const onDemand = Object.entries(services).filter(([, { profiles }]) => profiles !== undefined);
    expect(onDemand.map(([name]) => name)).toEqual(['sandbox']);
  });

  it('gives the worker longer to stop than it waits for a charged call', () => {
    expect(seconds(service('worker').stop_grace_period) * 1_000).toBeGreaterThan(CHARGED_GRACE_MS);
  });

  it('gives the bridge no API key, and no more of the database than its own role', () => {
    const { environment = {}, secrets } = service('bridge');
    expect(Object.keys(environment).filter((name) => /API_KEY|API_URL|ID_KEY|TRAMITA_DATABASE_URL/.test(name))).toEqual(
      [],
    );
    expect(secrets).toEqual(['bridge_database_url', 'webhook_secrets', 'payload_keys']);
  });

  it('gives the codec server payload keys and its own role alone, and lets the pages of the UI ask it', () => {
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
    const env = Object.fromEntries(
      Object.entries(service(name).environment ?? {}).map(([variable, value]) => [
        variable,
        withoutInterpolation(value),
      ]),
    );
    const secret: Readonly<Record<string, string>> = {
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

  it('holds no secret: every one is a file outside the repository', () => {
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
    expect(foreign.filter((image) => !/:\d+\.\d+(\.\d+)?(-\w+)?$/.test(image))).toEqual([]);
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

  it('starts the command of package.json, and copies what is sent to it', () => {
    const { bin } = JSON.parse(read('package.json')) as { bin: { tramita: string } };
    expect(dockerfile).toContain(`ENTRYPOINT ["node", "/app/${bin.tramita.replace('./', '')}"]`);
    const sent = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, names]) => names?.split(' ') ?? [],
    );
    expect(copied.sort()).toEqual(sent.sort());
  });
});

function seconds(duration: string | undefined): number {
  return Number(/^(\d+)s$/.exec(duration ?? '')?.[1]);
}

/** `${NAME:-default}` → default; `${NAME:?message}` → a URL, the only thing that is asked for. */
function withoutInterpolation(value: string): string {
  return value.replace(/\$\{\w+:-([^}]*)\}/g, '$1').replace(/\$\{\w+:\?[^}]*\}/g, 'https://api.example.com');
}
